namespace Cinnabar.Engine.Durability;

/// <summary>What a snapshot is for.</summary>
internal enum SnapshotKind
{
    /// <summary>The RDB file.</summary>
    Rdb,

    /// <summary>The base of the append-only file.</summary>
    JournalBase,

    /// <summary>Replicas, without a file.</summary>
    Replicas,
}
