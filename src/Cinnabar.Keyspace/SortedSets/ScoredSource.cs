using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// An input of ZUNION and its like: a sorted set, or a plain one, whose members have the score 1, or nothing.
/// Made by <see cref="SortedSetStore.Source"/>; valid until the next change to the stripe. No ref struct,
/// since a command may have many.
/// </summary>
// SAFETY: made of live entries of stripes that the execution has locked.
public readonly unsafe struct ScoredSource
{
    private readonly byte* _payload;
    private readonly KeyEncoding _encoding;

    private readonly int _place;

    internal ScoredSource(EntryView entry, long count, double weight, int place)
    {
        _place = place;
        Count = count;
        Weight = weight;
        if (entry.IsMissing)
            return;
        _payload = KeyEntry.Value(entry.Entry);
        _encoding = entry.Encoding;
        IsSet = entry.Type == KeyType.Set;
    }

    /// <summary>Number of members.</summary>
    public long Count { get; }

    /// <summary>What its scores are multiplied with.</summary>
    public double Weight { get; }

    /// <summary>Whether it is a plain set.</summary>
    internal bool IsSet { get; }

    /// <summary>The order of the smallest first; of those of one size, the one that was named
    /// first.</summary>
    public static int CompareSizes(ScoredSource left, ScoredSource right)
    {
        int difference = left.Count.CompareTo(right.Count);
        return difference != 0 ? difference : left._place.CompareTo(right._place);
    }

    internal SetView Members(KeyspaceAccess access) => new(_payload, _encoding, access.Keyspace.Trees);

    internal SortedSetView View(KeyspaceAccess access) => _payload == null
        ? default
        : SortedSetStore.ViewOf(_payload, _encoding, access.Keyspace.Trees);
}
