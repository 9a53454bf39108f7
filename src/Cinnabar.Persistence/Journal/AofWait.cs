namespace Cinnabar.Persistence.Journal;

/// <summary>What the append-only file has taken time for; the names are those of Redis's latency
/// events.</summary>
public enum AofWait
{
    /// <summary>A write to the file.</summary>
    Write,

    /// <summary>A write while the file is being made durable.</summary>
    WritePendingFsync,

    /// <summary>A write while a snapshot or a rewrite runs.</summary>
    WriteActiveChild,

    /// <summary>A write with nothing beside it.</summary>
    WriteAlone,

    /// <summary>Making the file durable before replies leave.</summary>
    FsyncAlways,

    /// <summary>Renaming a file at the end of a rewrite.</summary>
    Rename,

    /// <summary>Asking how long a file is.</summary>
    Fstat,
}
