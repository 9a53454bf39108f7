// The score of an entry: the higher, the sooner it is evicted. Scores are compared that were taken at
// different times, so none depends on the time of the look, but for the decay of LFU's counts:
//
//   past its deadline   the highest: it goes first, as an expiry
//   LRU, LRM            2^32 - the second of the last use
//   LFU                 256 - count
//   TTL                 2^63 - deadline
//   random              the same for all
//
// Among equals of LFU chance decides. The older one is not the better choice: a count that has fallen to that
// of a new key belongs to a key that was used before, and traces that loop or scan lost hits.
//
// The mark is what the score depends on, to see whether it still holds.

using Cinnabar.Keyspace.Candidates;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace.Eviction;

/// <summary>Scores entries for one policy at one instant.</summary>
// SAFETY: `entry` is a live block of a stripe whose lock the caller holds.
internal readonly unsafe struct EvictionScore(EvictionPolicy policy, AccessFrequency? frequency, long nowMs)
{
    /// <summary>The score of what is past its deadline.</summary>
    public const ulong Expired = ulong.MaxValue;

    private readonly EvictionOrder _order = policy.Order;
    private readonly bool _isVolatileOnly = policy.IsVolatileOnly;
    private readonly AccessFrequency? _frequency = frequency;
    private readonly long _nowMs = nowMs;

    /// <summary>Whether the entry may be evicted.</summary>
    public bool Allows(byte* entry) => !_isVolatileOnly || KeyEntry.HasDeadline(entry);

    /// <summary>What the score depends on.</summary>
    public ulong MarkOf(byte* entry) => _order == EvictionOrder.EarliestDeadline || IsExpired(entry)
        ? (ulong)KeyEntry.Deadline(entry) : KeyEntry.AccessClock(entry);

    /// <summary>The score of an entry that may be evicted.</summary>
    public ulong Of(byte* entry)
    {
        Debug.Assert(Allows(entry), "the policy does not evict the entry");
        if (IsExpired(entry))
            return Expired;
        switch (_order)
        {
            case EvictionOrder.LeastRecentlyUsed:
            case EvictionOrder.LeastRecentlyModified:
                long idleSeconds = new EntryView(entry).IdleSeconds(_nowMs);
                return (1UL << 32) - (ulong)((_nowMs / 1000) - idleSeconds);
            case EvictionOrder.LeastFrequentlyUsed when _frequency is { } frequency:
                return (ulong)(256 - frequency.Count(new EntryView(entry), _nowMs));
            case EvictionOrder.EarliestDeadline:
                return (1UL << 63) - (ulong)KeyEntry.Deadline(entry);
            default:
                return 1;
        }
    }

    private bool IsExpired(byte* entry) =>
        KeyEntry.HasDeadline(entry) && KeyEntry.Deadline(entry) <= _nowMs;
}
