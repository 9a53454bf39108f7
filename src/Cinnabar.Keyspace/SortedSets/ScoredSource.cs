using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// An input of ZUNION and its like: a sorted set, or a plain one, whose members have the score 1, or nothing.
/// Made by <see cref="SortedSetStore.Source"/>; valid until the next change to the stripe. No ref struct,
/// since a command may have many.
/// </summary>
// SAFETY: made of live entries of stripes that the execution has locked.
public unsafe struct ScoredSource
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

    /// <summary>Whether its members are in a listpack.</summary>
    internal readonly bool IsListpack => _payload != null && _encoding == KeyEncoding.Listpack;

    /// <summary>The listpack.</summary>
    internal readonly ListpackReader Listpack
    {
        get
        {
            Debug.Assert(IsListpack, "the members are elsewhere");
            return new ListpackReader(_payload);
        }
    }

    /// <summary>How many of the listpack's entries are a member.</summary>
    internal readonly int Stride => IsSet ? 1 : 2;

    /// <summary>Which of the store's tables is of the listpack; 0: none.</summary>
    internal int Table { get; set; }

    /// <summary>The order of the smallest first; of those of one size, the one that was named
    /// first.</summary>
    public static int CompareSizes(ScoredSource left, ScoredSource right)
    {
        int difference = left.Count.CompareTo(right.Count);
        return difference != 0 ? difference : left._place.CompareTo(right._place);
    }

    internal readonly SetView Members(KeyspaceAccess access) =>
        new(_payload, _encoding, access.Keyspace.Trees);

    internal readonly SortedSetView View(KeyspaceAccess access) => _payload == null
        ? default
        : SortedSetStore.ViewOf(_payload, _encoding, access.Keyspace.Trees);
}
