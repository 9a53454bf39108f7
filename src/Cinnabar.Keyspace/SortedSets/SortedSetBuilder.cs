using Cinnabar.Keyspace.Entries;
using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// A sorted set in the making: the result of a command, which is replied or stored under a key that may be
/// one of the sources. To be disposed of in any case. A mutable struct: always by reference.
/// </summary>
// SAFETY: the tree is this builder's own until it is stored.
public unsafe struct SortedSetBuilder : IDisposable
{
    private readonly KeyspaceAccess _access;
    private SmallResult? _small;
    private SortedSetTree _tree;
    private int _memberLengthMax;

    // Begins small if the place for that is free.
    internal SortedSetBuilder(KeyspaceAccess access, SmallResult small)
    {
        _access = access;
        if (small.IsInUse)
        {
            _tree = SortedSetTree.Create(access.Keyspace.Trees);
            return;
        }

        small.Begin();
        _small = small;
    }

    internal SortedSetBuilder(KeyspaceAccess access, SortedSetTree tree)
    {
        _access = access;
        _tree = tree;
    }

    /// <summary>Number of members.</summary>
    public readonly long Count => _small?.Count ?? _tree.Index.Count;

    /// <summary>Whether its members are in order already.</summary>
    internal readonly bool HasOrder => _small is null && _tree.IsOrdered;

    /// <summary>The set as it is now.</summary>
    public SortedSetView View
    {
        get
        {
            MakeOrder();
            return new SortedSetView(_tree, Trees);
        }
    }

    /// <summary>Number of members of a small set, which are read one by one (<see cref="SmallMember"/>); -1:
    /// it is big.</summary>
    public readonly int SmallCount => _small?.Count ?? -1;

    private readonly TreeSource Trees => _access.Keyspace.Trees;

    /// <summary>Adds a member with a score, which is not NaN; the score of a member that is there already is
    /// combined with it. Only before the set is read.</summary>
    public void Add(scoped ReadOnlySpan<byte> member, double score, Aggregate aggregate = Aggregate.Sum)
    {
        Debug.Assert(!double.IsNaN(score), "a score is a number");
        _memberLengthMax = Math.Max(_memberLengthMax, member.Length);
        if (_small is not null && TryAddSmall(member, score, aggregate))
            return;
        MakeTree();
        byte* place = _tree.Gather(Trees, member, score);
        if (place == null)
            return;
        double old = Unsafe.ReadUnaligned<double>(place);
        Unsafe.WriteUnaligned(place, Scores.Combine(aggregate, old, score));
    }

    /// <summary>The member of a rank in a small set, and its score.</summary>
    public readonly ReadOnlySpan<byte> SmallMember(int rank, out double score)
    {
        _small!.Order();
        score = _small.Score(rank);
        return _small.Member(rank);
    }

    /// <summary>Removes the members of a range, but not all.</summary>
    public void RemoveRange(RankRange range)
    {
        MakeOrder();
        _tree.RemoveRange(Trees, range.First, range.Count);
    }

    /// <summary>
    /// Stores the set, which is not empty, under a key in place of whatever that has, without a deadline.
    /// Afterwards the builder can only be disposed of.
    /// </summary>
    public void Store(in Key key) => Store(new SortedSetTarget(_access, in key));

    /// <summary>As <see cref="Store(in Key)"/>, in an entry of no key.</summary>
    internal void Store(DetachedEntry entry) => Store(new SortedSetTarget(entry));

    private void Store(scoped SortedSetTarget target)
    {
        Debug.Assert(Count > 0, "an empty set is stored");
        if (SortedSetStore.FitsPack(_access, Count, _memberLengthMax) && TryStorePack(target))
            return;
        MakeOrder();
        byte* payload = target.Open(KeyEncoding.SkipList, SortedSetStore.TreeHandleSize);
        SortedSetEditor.Write(payload, in _tree);
        _tree = default;
    }

    /// <summary>Gives the tree away.</summary>
    internal SortedSetTree Take()
    {
        MakeOrder();
        SortedSetTree tree = _tree;
        _tree = default;
        return tree;
    }

    /// <summary>Frees what was not stored.</summary>
    public void Dispose()
    {
        if (!_tree.IsNull)
            _tree.Release(Trees);
        _tree = default;
        _small?.End();
        _small = null;
    }

    /// <summary>Makes the order now, so that the keys need not be held for it.</summary>
    public void Complete()
    {
        if (_small is null)
            MakeOrder();
        else
            _small.Order();
    }

    private void MakeOrder()
    {
        MakeTree();
        if (!_tree.IsOrdered)
            _tree.MakeOrder(Trees, _access.Keyspace.Scratch);
    }

    private void MakeTree()
    {
        if (_small is null)
            return;
        SortedSetTree tree = SortedSetTree.Create(Trees);
        try
        {
            _small.GatherIn(Trees, ref tree);
        }
        catch (OutOfMemoryException)
        {
            tree.Release(Trees);
            throw;
        }

        _tree = tree;
        _small.End();
        _small = null;
    }

    // False where the member is missing and there is no room for it.
    private readonly bool TryAddSmall(scoped ReadOnlySpan<byte> member, double score, Aggregate aggregate)
    {
        int number = _small!.Find(member);
        if (number >= 0)
        {
            _small.Change(number, Scores.Combine(aggregate, _small.Score(number), score));
            return true;
        }

        if (!_small.HasRoomFor(member))
            return false;
        _small.Add(member, score);
        return true;
    }

    private bool TryStorePack(scoped SortedSetTarget target) =>
        _small is { } small ? TryStoreSmall(target, small) : TryStoreTree(target);

    private static bool TryStoreSmall(scoped SortedSetTarget target, SmallResult small)
    {
        Span<byte> scratch = stackalloc byte[RedisNumber.DoubleBytesMax];
        long size = 0;
        small.Order();
        for (int rank = 0; rank < small.Count; rank++)
        {
            size += new ListpackElement(small.Member(rank)).Size;
            size += SortedSetPack.ElementOf(small.Score(rank), scratch).Size;
        }

        if (size + Listpack.EmptySize > KeyEntry.InlineValueLengthMax)
            return false;
        scoped ListpackGap gap = OpenPack(target, size, small.Count);
        for (int rank = 0; rank < small.Count; rank++)
        {
            gap.Write(new ListpackElement(small.Member(rank)));
            gap.Write(SortedSetPack.ElementOf(small.Score(rank), scratch));
        }

        gap.Complete();
        return true;
    }

    private bool TryStoreTree(scoped SortedSetTarget target)
    {
        Span<byte> scratch = stackalloc byte[RedisNumber.DoubleBytesMax];
        long size = 0;
        SortedSetWalk walk = View.Walk();
        while (walk.MoveNext())
        {
            size += new ListpackElement(walk.Member).Size;
            size += SortedSetPack.ElementOf(walk.Score, scratch).Size;
        }

        if (size + Listpack.EmptySize > KeyEntry.InlineValueLengthMax)
            return false;
        scoped ListpackGap gap = OpenPack(target, size, (int)Count);
        walk = View.Walk();
        while (walk.MoveNext())
        {
            gap.Write(new ListpackElement(walk.Member));
            gap.Write(SortedSetPack.ElementOf(walk.Score, scratch));
        }

        gap.Complete();
        return true;
    }

    // The listpack, to be written; it has room for the given bytes of entries.
    private static ListpackGap OpenPack(scoped SortedSetTarget target, long size, int count)
    {
        int total = (int)size + Listpack.EmptySize;
        byte* payload = target.Open(KeyEncoding.Listpack, total);
        Listpack.Initialize(payload);
        var editor = new ListpackEditor(payload, total);
        return editor.Open(Listpack.HeaderSize, size, 2 * count);
    }
}
