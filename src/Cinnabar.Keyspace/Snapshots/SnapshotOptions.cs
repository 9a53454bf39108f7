namespace Cinnabar.Keyspace.Snapshots;

/// <summary>How a snapshot is bounded.</summary>
public sealed record SnapshotOptions
{
    /// <summary>Bytes of pre-images that may wait for the saver; past them writers are held.</summary>
    public long BacklogBytesMax { get; init; } = 16 << 20;

    /// <summary>Bytes of what the walk has copied, with all that it refers to, that may wait for the saver;
    /// at least four chunks a stripe. Past them the walk pauses.</summary>
    public long WalkBytesMax { get; init; } = 4 << 20;

    /// <summary>Holds writers (true) and lets them go on (false); called on any thread, perhaps under a
    /// stripe's lock.</summary>
    public Action<bool>? HoldWriters { get; init; }

    /// <summary>Has the loops look at their stripes' walks, which go on; called on the saver's
    /// thread.</summary>
    public Action? WalkResumed { get; init; }
}
