namespace Cinnabar.Engine.Configuration;

/// <summary>What an error means of a command that a master or an append-only file has sent
/// (<c>propagation-error-behavior</c>).</summary>
public enum PropagationErrors
{
    /// <summary>It is logged.</summary>
    Ignore,

    /// <summary>The server ends: its data are no longer those that were recorded.</summary>
    Panic,

    /// <summary>The same, where a master has sent the command.</summary>
    PanicOnReplicas,
}
