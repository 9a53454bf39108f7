namespace Cinnabar.Engine.Admission;

/// <summary>Why writes are held.</summary>
[Flags]
internal enum WriteHoldReason
{
    /// <summary>They are not.</summary>
    None = 0,

    /// <summary>A snapshot has more pre-images to write than its bound.</summary>
    Snapshot = 1 << 0,

    /// <summary>The append-only file's disk does not keep up.</summary>
    Journal = 1 << 1,

    /// <summary>The server saves for the last time.</summary>
    Shutdown = 1 << 2,
}
