namespace Cinnabar.Server.Logging;

/// <summary>The role of the process in a line of the log.</summary>
internal enum LogRole
{
    /// <summary>C: a process that does not serve yet.</summary>
    Child,

    /// <summary>M: a master.</summary>
    Master,

    /// <summary>S: a replica.</summary>
    Replica,
}
