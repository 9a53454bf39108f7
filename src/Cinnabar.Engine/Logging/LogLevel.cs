namespace Cinnabar.Engine.Logging;

/// <summary>How much a line of the log matters; the order is that of <c>loglevel</c>.</summary>
public enum LogLevel
{
    /// <summary>For development.</summary>
    Debug,

    /// <summary>Often useful, often too much.</summary>
    Verbose,

    /// <summary>What an operator wants to know.</summary>
    Notice,

    /// <summary>What an operator must know.</summary>
    Warning,

    /// <summary>As a threshold: log nothing at all.</summary>
    Nothing,
}
