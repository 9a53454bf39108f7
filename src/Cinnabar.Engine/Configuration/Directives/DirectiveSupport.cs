namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>What a directive does in this server.</summary>
public enum DirectiveSupport
{
    /// <summary>It does what Redis documents.</summary>
    Working,

    /// <summary>Accepted and remembered; what it steers is not built yet.</summary>
    NoEffectYet,

    /// <summary>Accepted and remembered; what it steers does not exist in this architecture.</summary>
    NeverMeaningful,

    /// <summary>
    /// Any value but the default refuses to start: to ignore it would cost data or secrecy.
    /// </summary>
    Refused,
}
