using System;
using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;
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
    private SortedSetTree _tree;
    private int _memberLengthMax;

    internal SortedSetBuilder(KeyspaceAccess access)
    {
        _access = access;
        _tree = SortedSetTree.Create(access.Keyspace.Trees);
    }

    internal SortedSetBuilder(KeyspaceAccess access, SortedSetTree tree)
    {
        _access = access;
        _tree = tree;
    }

    /// <summary>Number of members.</summary>
    public readonly long Count => _tree.Count;

    /// <summary>Whether it is none, or has been stored.</summary>
    internal readonly bool IsNothing => _tree.IsNull;

    /// <summary>The set as it is now.</summary>
    public readonly SortedSetView View => new(_tree, Trees);

    private readonly TreeSource Trees => _access.Keyspace.Trees;

    /// <summary>Adds a member, or gives it another score, which is not NaN.</summary>
    /// <returns>Whether the member is new.</returns>
    public bool Set(scoped ReadOnlySpan<byte> member, double score)
    {
        _memberLengthMax = Math.Max(_memberLengthMax, member.Length);
        return _tree.Set(Trees, member, score);
    }

    /// <summary>Removes a member.</summary>
    public void Remove(scoped ReadOnlySpan<byte> member) => _tree.Remove(Trees, member);

    /// <summary>Removes the members of a range, but not all.</summary>
    public void RemoveRange(RankRange range) => _tree.RemoveRange(Trees, range.First, range.Count);

    /// <summary>
    /// Stores the set, which is not empty, under a key in place of whatever that has, without a deadline. The
    /// builder is good for nothing but disposal then.
    /// </summary>
    public void Store(in Key key)
    {
        if (SortedSetStore.FitsPack(_access, Count, _memberLengthMax) && TryStorePack(in key))
            return;
        ValueSlot slot = _access.CreateValue(
            in key, KeyType.SortedSet, KeyEncoding.SkipList, SortedSetStore.TreeHandleSize);
        SortedSetEditor.Write(slot.Payload, in _tree);
        _tree = default;
    }

    /// <summary>Gives the tree away.</summary>
    internal SortedSetTree Take()
    {
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
    }

    private readonly bool TryStorePack(in Key key)
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
        int total = (int)size + Listpack.EmptySize;
        ValueSlot slot = _access.CreateValue(in key, KeyType.SortedSet, KeyEncoding.Listpack, total);
        Listpack.Initialize(slot.Payload);
        var editor = new ListpackEditor(slot.Payload, total);
        scoped ListpackGap gap = editor.Open(Listpack.HeaderSize, size, 2 * (int)Count);
        walk = View.Walk();
        while (walk.MoveNext())
        {
            gap.Write(new ListpackElement(walk.Member));
            gap.Write(SortedSetPack.ElementOf(walk.Score, scratch));
        }

        gap.Complete();
        return true;
    }
}
