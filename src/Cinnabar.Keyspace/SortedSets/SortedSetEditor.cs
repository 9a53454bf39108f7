using Cinnabar.Keyspace.Entries;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// Changes a sorted set: finds its key once, makes it with the first member, turns it into a tree where it
/// outgrows a listpack. Declares nothing. Valid until another key of the stripe is added or removed.
/// </summary>
// SAFETY: the execution holds the stripe's lock; a payload's address is read anew after whatever may move it.
public unsafe ref struct SortedSetEditor
{
    private readonly KeyspaceAccess _access;
    private readonly Key _key;
    private ValueSlot _slot;

    // A new listpack could not hold the members of the command: it begins as a tree.
    private bool _beginsAsTree;

    internal SortedSetEditor(KeyspaceAccess access, in Key key, in ValueSlot slot)
    {
        Debug.Assert(slot.IsMissing || slot.Type == KeyType.SortedSet, "not a sorted set");
        _access = access;
        _key = key;
        _slot = slot;
    }

    /// <summary>Whether there is no such key (yet).</summary>
    public readonly bool IsMissing => _slot.IsMissing;

    /// <summary>The set as it is now; an empty one where the key is missing.</summary>
    public readonly SortedSetView View =>
        _slot.IsMissing ? default : SortedSetStore.ViewOf(_slot.View, Trees);

    private readonly TreeSource Trees => _access.Keyspace.Trees;

    private readonly ListpackReader Reader => new(_slot.Payload);

    /// <summary>Prepares for a number of members, some of which may exist or repeat: what no listpack may
    /// hold becomes a tree at once, or begins as one, as in Redis since 7.2.</summary>
    public void Reserve(long count)
    {
        if (SortedSetStore.FitsPack(_access, count, memberLengthMax: 0))
            return;
        _beginsAsTree = _slot.IsMissing;
        if (_slot.IsMissing || _slot.Encoding != KeyEncoding.Listpack)
            return;
        _slot.BeginChange();
        MakeTree();
    }

    /// <summary>Adds a member, or gives it another score. The span must not lie in this set.</summary>
    /// <param name="member">The member.</param>
    /// <param name="score">Any number but NaN; the two zeroes are equal.</param>
    /// <param name="change">What came of it.</param>
    /// <param name="hint">What is known of the member.</param>
    public void Set(
        scoped ReadOnlySpan<byte> member, double score, out SortedSetChange change,
        ScoreHint hint = default)
    {
        Debug.Assert(!double.IsNaN(score), "a score is a number");
        if (_slot.IsMissing)
            Create();
        if (_slot.Encoding == KeyEncoding.Listpack && TrySetInPack(member, score, out change))
            return;
        _slot.BeginChange();
        SortedSetTree tree = Tree();
        try
        {
            change = tree.Set(Trees, member, score, out double old, hint) ? SortedSetChange.Added
                : old == score ? SortedSetChange.None
                : SortedSetChange.Updated;
        }
        finally
        {
            Write(_slot.Payload, in tree);
        }
    }

    /// <summary>Removes a member; a set that gets empty is the caller's to remove.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(scoped ReadOnlySpan<byte> member, ScoreHint hint = default)
    {
        if (_slot.IsMissing)
            return false;
        if (_slot.Encoding == KeyEncoding.Listpack)
        {
            int position = SortedSetPack.Find(Reader, member);
            if (position == 0)
                return false;
            RemoveFromPack(position, 1);
            return true;
        }

        _slot.BeginChange();
        SortedSetTree tree = Tree();
        try
        {
            return tree.Remove(Trees, member, hint);
        }
        finally
        {
            Write(_slot.Payload, in tree);
        }
    }

    /// <summary>Goes to the lowest or highest member of a tree that has others.</summary>
    public readonly bool TrySeekEdge(bool isHighest, out SortedSetCursor edge)
    {
        edge = default;
        if (_slot.Encoding == KeyEncoding.Listpack)
            return false;
        SortedSetTree tree = Tree();
        if (tree.Count > 1)
            tree.SeekEdge(isHighest, out edge);
        return tree.Count > 1;
    }

    /// <summary>Removes the member that <see cref="TrySeekEdge"/> has found.</summary>
    /// <param name="edge">The cursor at it, which becomes invalid.</param>
    /// <param name="hint">What is known of the member.</param>
    public readonly void RemoveEdge(ref SortedSetCursor edge, MemberHint hint)
    {
        Debug.Assert(View.Count > 1, "the last member goes with its key");
        _slot.BeginChange();
        SortedSetTree tree = Tree();
        try
        {
            tree.RemoveEdge(Trees, ref edge, hint);
        }
        finally
        {
            Write(_slot.Payload, in tree);
        }
    }

    /// <summary>Removes the members of a range, all of which are there; with the last the key goes.</summary>
    /// <returns>Whether the key was removed.</returns>
    public bool RemoveRange(RankRange range)
    {
        Debug.Assert(range.First >= 0 && range.Count >= 0 && range.First + range.Count <= View.Count,
            "no such range");
        if (range.Count == 0)
            return false;
        if (range.Count == View.Count)
        {
            _slot.Remove();
            _slot = default;
            return true;
        }

        if (_slot.Encoding == KeyEncoding.Listpack)
        {
            RemoveFromPack(Reader.Seek(2 * (int)range.First), (int)range.Count);
            return false;
        }

        _slot.BeginChange();
        SortedSetTree tree = Tree();
        try
        {
            tree.RemoveRange(Trees, range.First, range.Count);
        }
        finally
        {
            Write(_slot.Payload, in tree);
        }

        return false;
    }

    /// <summary>Takes a changed copy over, in place of the tree that it was made of; it is not
    /// empty.</summary>
    public readonly void Adopt(ref SortedSetBuilder copy)
    {
        Debug.Assert(_slot.Encoding == KeyEncoding.SkipList && copy.Count > 0, "no tree takes over");
        _slot.BeginChange();
        SortedSetTree old = Tree();
        SortedSetTree tree = copy.Take();
        Write(_slot.Payload, in tree);
        old.Release(Trees);
    }

    /// <summary>Removes the key if no member is left.</summary>
    /// <returns>Whether the key was removed.</returns>
    public bool RemoveIfEmpty()
    {
        if (_slot.IsMissing || View.Count != 0)
            return false;
        _slot.Remove();
        _slot = default;
        return true;
    }

    internal static void Write(byte* payload, in SortedSetTree tree)
    {
        EntryValue.SetWord(payload, 0, tree.OrderAddress);
        EntryValue.SetWord(payload, 1, tree.IndexAddress);
    }

    private readonly SortedSetTree Tree() => EntryValue.SortedSet(_slot.Payload);

    private void Create()
    {
        if (_beginsAsTree)
        {
            SortedSetTree tree = SortedSetTree.Create(Trees);
            _slot = _access.CreateValue(in _key, KeyType.SortedSet, KeyEncoding.SkipList,
                SortedSetStore.TreeHandleSize);
            Write(_slot.Payload, in tree);
            return;
        }

        _slot = _access.CreateValue(in _key, KeyType.SortedSet, KeyEncoding.Listpack, Listpack.EmptySize);
        Listpack.Initialize(_slot.Payload);
    }

    // False where the set has been made a tree instead, and nothing else was done.
    private bool TrySetInPack(scoped ReadOnlySpan<byte> member, double score, out SortedSetChange change)
    {
        change = SortedSetChange.None;
        ListpackReader reader = Reader;
        Span<byte> scratch = stackalloc byte[RedisNumber.DoubleBytesMax];
        ListpackElement scoreElement = SortedSetPack.ElementOf(score, scratch);
        var memberElement = new ListpackElement(member);
        int oldPosition = SortedSetPack.Find(reader, member);
        int oldSize = 0;
        if (oldPosition != 0)
        {
            int scorePosition = reader.Behind(oldPosition);
            if (SortedSetPack.ScoreAt(reader, scorePosition) == score)
                return true;
            oldSize = reader.Behind(scorePosition) - oldPosition;
        }

        long size = reader.Size - oldSize + memberElement.Size + scoreElement.Size;
        bool isTooMuch = size > KeyEntry.InlineValueLengthMax
            || (oldPosition == 0 && !SortedSetStore.FitsPack(_access, (reader.Count / 2) + 1, member.Length));
        _slot.BeginChange();
        if (isTooMuch)
        {
            MakeTree();
            return false;
        }

        byte* pack = _slot.Resize(Math.Max((int)size, reader.Size));
        var editor = new ListpackEditor(pack, _slot.PayloadSize);
        if (oldPosition != 0)
            editor.Delete(oldPosition, 2);
        int place = SortedSetPack.PlaceOf(editor.Reader, score, member);
        editor.Insert(place, in memberElement, in scoreElement);
        _slot.Resize((int)size);
        change = oldPosition == 0 ? SortedSetChange.Added : SortedSetChange.Updated;
        return true;
    }

    private readonly void RemoveFromPack(int position, int count)
    {
        _slot.BeginChange();
        var editor = new ListpackEditor(_slot.Payload, _slot.PayloadSize);
        editor.Delete(position, 2 * count);
        _slot.Resize(editor.Reader.Size);
    }

    private readonly void MakeTree()
    {
        Debug.Assert(_slot.Encoding == KeyEncoding.Listpack, "it is a tree already");
        SortedSetTree tree = SortedSetTree.Create(Trees);
        try
        {
            SortedSetWalk walk = View.Walk();
            while (walk.MoveNext())
                tree.Gather(Trees, walk.Member, walk.Score);
            tree.MakeOrder(Trees, _access.Keyspace.Scratch);
        }
        catch (OutOfMemoryException)
        {
            tree.Release(Trees);
            throw;
        }

        Write(_slot.Resize(SortedSetStore.TreeHandleSize, KeyEncoding.SkipList), in tree);
    }
}
