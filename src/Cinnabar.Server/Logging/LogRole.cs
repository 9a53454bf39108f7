namespace Cinnabar.Server.Logging;

/// <summary>Who speaks in a line of the log.</summary>
internal enum LogRole
{
    /// <summary>C: a process that does not serve yet.</summary>
    Child,

    /// <summary>M: a server that is nobody's replica.</summary>
    Master,
}
