namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>What a directive does in this server.</summary>
public enum DirectiveSupport
{
    /// <summary>It does what Redis documents.</summary>
    Working,

    /// <summary>Accepted and remembered; what it configures is not built yet.</summary>
    NoEffectYet,

    /// <summary>Accepted and remembered; what it configures does not exist in this architecture.</summary>
    NeverMeaningful,

    /// <summary>
    /// With any value but the default the server does not start: ignoring it would cost data or secrecy.
    /// </summary>
    Refused,
}
