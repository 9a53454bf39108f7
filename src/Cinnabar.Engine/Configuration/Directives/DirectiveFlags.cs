namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>How a directive may be read and changed.</summary>
[Flags]
public enum DirectiveFlags
{
    /// <summary>An ordinary directive: CONFIG SET changes it, CONFIG GET * lists it.</summary>
    None = 0,

    /// <summary>Fixed once the server runs: CONFIG SET answers "can't set immutable config".</summary>
    Immutable = 1,

    /// <summary>CONFIG SET needs <c>enable-protected-configs</c>.</summary>
    Protected = 2,

    /// <summary>A secret: never shown in SLOWLOG, MONITOR or the log.</summary>
    Sensitive = 4,

    /// <summary>CONFIG GET shows it by its name only, not by a pattern.</summary>
    Hidden = 8,

    /// <summary>Takes several words; CONFIG SET gives them in one argument.</summary>
    MultipleArguments = 16,

    /// <summary>Names what may change by itself: CONFIG SET of the same value applies it again.</summary>
    Reapplied = 32,

    /// <summary>CONFIG SET is refused while data are being loaded.</summary>
    NotWhileLoading = 64,
}
