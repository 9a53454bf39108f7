namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>What came from a debugging client.</summary>
internal enum DebugRequestOutcome
{
    /// <summary>A command.</summary>
    Command,

    /// <summary>Bytes that are no command.</summary>
    Broken,

    /// <summary>Nothing: the client has gone, or the script was killed.</summary>
    Over,
}
