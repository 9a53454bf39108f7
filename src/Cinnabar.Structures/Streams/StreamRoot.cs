using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

/// <summary>What <see cref="StreamTree"/> leads to: the contents of a page that is in no tree.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct StreamRoot
{
    internal PageTree Entries;

    /// <summary>Groups, consumers by name (their group is the owner), and by number.</summary>
    internal NameTree Names;

    /// <summary>Pending entries by group and ID.</summary>
    internal WordTree<PendingRecord> Pending;

    /// <summary>Pending entries by consumer and ID.</summary>
    internal WordTree<OwnedRecord> Owned;

    /// <summary>Pending entries by group and time of delivery.</summary>
    internal WordTree<DeliveryRecord> Deliveries;

    /// <summary>Producers of idempotent entries, and what they produced.</summary>
    internal NameTree Producers;

    /// <summary>The lowest ID; 0-0 where there is no entry.</summary>
    internal StreamId First;

    /// <summary>The highest ID there ever was.</summary>
    internal StreamId Last;

    /// <summary>The highest ID that XDEL has removed.</summary>
    internal StreamId MaxDeleted;

    /// <summary>Entries added since the stream was made.</summary>
    internal long EntriesAdded;

    /// <summary>The last number given to a group, consumer or producer.</summary>
    internal ulong LastNumber;

    /// <summary>How many groups there are.</summary>
    internal long GroupCount;

    /// <summary>For how many seconds producers' IDs are remembered.</summary>
    internal int IdempotencySeconds;

    /// <summary>How many IDs of a producer are remembered.</summary>
    internal int IdempotencyCountMax;

    /// <summary>Whether an entry was ever added with such an ID, or one of the two was set for this stream:
    /// its source counts it (<see cref="Trees.TreeSource.IdempotentRootCount"/>).</summary>
    internal bool UsesIdempotency;

    /// <summary>Producers remembered.</summary>
    internal long ProducerCount;

    /// <summary>IDs of theirs remembered.</summary>
    internal long IdempotentCount;

    /// <summary>Entries added with such an ID.</summary>
    internal long IdempotentAdded;

    /// <summary>How often an ID came again.</summary>
    internal long IdempotentDuplicates;
}
