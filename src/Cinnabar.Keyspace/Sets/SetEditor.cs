// Adding to a set, and the encodings that it goes through on the way. The rules are those of Redis 7.2 and
// later:
//
//   intset    only integers, up to set-max-intset-entries; one more, and it is a tree
//      |      the first member that is no integer makes it a listpack, where it would be within the limits
//      v      of one, otherwise a tree
//   listpack  up to set-max-listpack-entries members of up to set-max-listpack-value bytes
//      |
//      v
//   hashtable a tree of members by their hash (HashPages); it stays one when it gets smaller
//
// One limit more is ours: what lies in an entry has at most 65,535 bytes, whatever the directives allow.
using System.Buffers;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Sets;

/// <summary>
/// Changes a set, of a key or one that is a result. Made by <see cref="SetStore"/>; valid until another key
/// of the stripe is added or removed. It may leave a set without members: its user removes the key.
/// </summary>
// SAFETY: the memory is that of a set which is locked and whose change was announced, or a scratch; every
// write is within the size that Resize was given.
public readonly unsafe ref struct SetEditor
{
    private const int IntsetCountMax = 1 << 30;
    private const int TreePayloadSize = sizeof(long);

    private readonly SetMemory _memory;

    internal SetEditor(SetMemory memory) => _memory = memory;

    /// <summary>The set as it is now.</summary>
    public SetView View => new(_memory.Payload, _memory.Encoding, _memory.Trees);

    internal SetMemory Memory => _memory;

    /// <summary>Adds a member, whose bytes must not lie in this set; false: it was there.</summary>
    /// <param name="member">The member.</param>
    /// <param name="hint">What is known of it.</param>
    public bool Add(ReadOnlySpan<byte> member, MemberHint hint = default)
    {
        switch (_memory.Encoding)
        {
            case KeyEncoding.HashTable:
                return AddToTree(member, hint);
            case KeyEncoding.Listpack:
                return AddToListpack(member);
            default:
                return RedisNumber.TryParseInt64(member, out long integer)
                    ? AddToIntset(integer)
                    : AddTextToIntset(member);
        }
    }

    /// <summary>Adds a member of another set; false: it was there.</summary>
    [SkipLocalsInit]
    public bool Add(in SetMember member)
    {
        if (!member.IsInteger)
            return Add(member.Text);
        if (_memory.Encoding == KeyEncoding.Intset)
            return AddToIntset(member.Integer);
        return Add(member.AsText(stackalloc byte[SetMember.ScratchSize]));
    }

    /// <summary>Adds a member of another set that is known not to be in this one.</summary>
    [SkipLocalsInit]
    internal void AddNew(in SetMember member)
    {
        if (_memory.Encoding != KeyEncoding.Listpack)
        {
            bool isNew = Add(in member);
            Debug.Assert(isNew, "it was there");
            return;
        }

        Debug.Assert(!View.Contains(in member), "it was there");
        Append(member.AsText(stackalloc byte[SetMember.ScratchSize]));
    }

    /// <summary>Removes a member, whose bytes must not lie in this set; false: it was not there.</summary>
    public bool Remove(ReadOnlySpan<byte> member, MemberHint hint = default)
    {
        switch (_memory.Encoding)
        {
            case KeyEncoding.HashTable:
                HashPages pages = _memory.Pages;
                bool isRemoved = pages.Remove(_memory.Trees, member, hint);
                _memory.Pages = pages;
                return isRemoved;
            case KeyEncoding.Listpack:
                return RemoveFromListpack(member);
            default:
                return RedisNumber.TryParseInt64(member, out long integer) && RemoveFromIntset(integer);
        }
    }

    /// <summary>Removes a member of another set; false: it was not there.</summary>
    [SkipLocalsInit]
    public bool Remove(in SetMember member)
    {
        if (!member.IsInteger)
            return Remove(member.Text);
        return Remove(member.AsText(stackalloc byte[SetMember.ScratchSize]));
    }

    /// <summary>Prepares for a number of members: an encoding that cannot hold them becomes a tree at
    /// once.</summary>
    public void Reserve(long count)
    {
        Debug.Assert(count >= 0, "a negative number of members");
        CollectionLimits limits = _memory.Keyspace.Limits;
        if ((_memory.Encoding == KeyEncoding.Intset && count > limits.SetIntsetEntriesMax)
            || (_memory.Encoding == KeyEncoding.Listpack && count > limits.SetListpackEntriesMax))
            BecomeTree();
    }

    /// <summary>Gives a tree that has become small the encoding that its members would have anew.</summary>
    internal void Rebuild()
    {
        CollectionLimits limits = _memory.Keyspace.Limits;
        if (_memory.Encoding != KeyEncoding.HashTable
            || _memory.Pages.Count > Math.Max(limits.SetIntsetEntriesMax, limits.SetListpackEntriesMax))
            return;
        BeginAnew(KeyEncoding.Intset);
    }

    /// <summary>Makes a small tree a listpack where its members fit into one: a result with more integers
    /// than an intset may hold.</summary>
    internal void Repack()
    {
        if (_memory.Encoding == KeyEncoding.HashTable
            && _memory.Pages.Count <= _memory.Keyspace.Limits.SetListpackEntriesMax)
            BeginAnew(KeyEncoding.Listpack);
    }

    /// <summary>The encoding of a new set.</summary>
    internal static KeyEncoding Choose(CollectionLimits limits, ReadOnlySpan<byte> first, long count)
    {
        if (count <= limits.SetIntsetEntriesMax && RedisNumber.TryParseInt64(first, out _))
            return KeyEncoding.Intset;
        return count <= limits.SetListpackEntriesMax ? KeyEncoding.Listpack : KeyEncoding.HashTable;
    }

    /// <summary>Bytes of an empty set.</summary>
    internal static int EmptySize(KeyEncoding encoding) => encoding switch
    {
        KeyEncoding.HashTable => TreePayloadSize,
        KeyEncoding.Listpack => Listpack.EmptySize,
        _ => Intset.HeaderSize,
    };

    /// <summary>Makes an empty set of the memory, which has the right size and encoding.</summary>
    internal void Initialize()
    {
        switch (_memory.Encoding)
        {
            case KeyEncoding.HashTable:
                EntryValue.SetWord(_memory.Payload, 0, HashPages.Create(_memory.Trees).Address);
                break;
            case KeyEncoding.Listpack:
                Listpack.Initialize(_memory.Payload);
                break;
            default:
                Intset.Initialize(_memory.Payload);
                break;
        }
    }

    // Adds the members of a tree to an empty set of another encoding, which takes its place.
    private void BeginAnew(KeyEncoding encoding)
    {
        Debug.Assert(_memory.Encoding == KeyEncoding.HashTable, "only a tree is built anew");
        HashPages pages = _memory.Pages;
        _memory.Resize(EmptySize(encoding), encoding);
        Initialize();
        foreach (HashField field in pages)
            Add(field.Member);
        pages.Release(_memory.Trees);
    }

    private bool AddToTree(ReadOnlySpan<byte> member, MemberHint hint = default)
    {
        HashPages pages = _memory.Pages;
        bool isNew = pages.TryAdd(_memory.Trees, new HashField(member), out _, hint);
        _memory.Pages = pages;
        return isNew;
    }

    private bool AddToListpack(ReadOnlySpan<byte> member)
    {
        var reader = new ListpackReader(_memory.Payload);
        return reader.Find(member, reader.First) == 0 && Append(member);
    }

    /// <summary>Adds a member of which it is not known whether it is in the set: where that is a listpack, it
    /// is not looked for, and the caller looks for duplicates at the end.</summary>
    /// <returns>False: it was there.</returns>
    internal bool AddUnchecked(ReadOnlySpan<byte> member) =>
        _memory.Encoding == KeyEncoding.Listpack ? Append(member) : Add(member);

    private bool Append(ReadOnlySpan<byte> member)
    {
        var reader = new ListpackReader(_memory.Payload);
        var element = new ListpackElement(member);
        long size = reader.Size + element.Size;
        if (!IsListpackFor(reader.Count + 1L, member.Length, size))
        {
            BecomeTree();
            return AddToTree(member);
        }

        byte* payload = _memory.Resize((int)size, KeyEncoding.Listpack);
        new ListpackEditor(payload, (int)size).Append(in element);
        return true;
    }

    [SkipLocalsInit]
    private bool AddToIntset(long integer)
    {
        var reader = new IntsetReader(_memory.Payload);
        if (reader.Contains(integer))
            return false;
        long size = IntsetEditor.SizeWith(reader, integer);
        long countMax = Math.Min(_memory.Keyspace.Limits.SetIntsetEntriesMax, IntsetCountMax);
        if (reader.Count >= countMax || size > KeyEntry.InlineValueLengthMax)
        {
            BecomeTree();
            return AddToTree(new SetMember(integer).AsText(stackalloc byte[SetMember.ScratchSize]));
        }

        byte* payload = _memory.Resize((int)size, KeyEncoding.Intset);
        new IntsetEditor(payload, (int)size).Add(integer);
        return true;
    }

    private bool AddTextToIntset(ReadOnlySpan<byte> member)
    {
        var reader = new IntsetReader(_memory.Payload);
        int lengthMax = member.Length;
        long size = Listpack.EmptySize + new ListpackElement(member).Size;
        for (int index = 0; index < reader.Count && size <= KeyEntry.InlineValueLengthMax; index++)
            size += new ListpackElement(reader[index]).Size;
        if (reader.Count > 0)
        {
            lengthMax = Math.Max(lengthMax, RedisNumber.LengthOfInt64(reader.Min));
            lengthMax = Math.Max(lengthMax, RedisNumber.LengthOfInt64(reader.Max));
        }

        if (!IsListpackFor(reader.Count + 1L, lengthMax, size))
        {
            BecomeTree();
            return AddToTree(member);
        }

        BecomeListpack((int)size);
        new ListpackEditor(_memory.Payload, (int)size).Append(new ListpackElement(member));
        return true;
    }

    private bool IsListpackFor(long count, int lengthMax, long size)
    {
        CollectionLimits limits = _memory.Keyspace.Limits;
        return count <= limits.SetListpackEntriesMax && lengthMax <= limits.SetListpackValueMax
            && size <= KeyEntry.InlineValueLengthMax;
    }

    private bool RemoveFromListpack(ReadOnlySpan<byte> member)
    {
        var reader = new ListpackReader(_memory.Payload);
        int position = reader.Find(member, reader.First);
        if (position == 0)
            return false;
        new ListpackEditor(_memory.Payload, reader.Size).Delete(position);
        _memory.Resize(reader.Size, KeyEncoding.Listpack);
        return true;
    }

    private bool RemoveFromIntset(long integer)
    {
        var reader = new IntsetReader(_memory.Payload);
        if (!new IntsetEditor(_memory.Payload, reader.Size).Remove(integer))
            return false;
        _memory.Resize(reader.Size, KeyEncoding.Intset);
        return true;
    }

    // The members of an intset, in a listpack of a size that has room for more.
    private void BecomeListpack(int size)
    {
        int oldSize = new IntsetReader(_memory.Payload).Size;
        byte[] rented = ArrayPool<byte>.Shared.Rent(oldSize);
        fixed (byte* copy = rented)
        {
            Unsafe.CopyBlockUnaligned(copy, _memory.Payload, (uint)oldSize);
            var integers = new IntsetReader(copy);
            byte* payload = _memory.Resize(size, KeyEncoding.Listpack);
            Listpack.Initialize(payload);
            var editor = new ListpackEditor(payload, size);
            for (int index = 0; index < integers.Count; index++)
                editor.Append(new ListpackElement(integers[index]));
        }

        ArrayPool<byte>.Shared.Return(rented);
    }

    [SkipLocalsInit]
    private void BecomeTree()
    {
        Debug.Assert(_memory.Encoding != KeyEncoding.HashTable, "it is a tree already");
        HashPages pages = HashPages.Create(_memory.Trees);
        Span<byte> scratch = stackalloc byte[SetMember.ScratchSize];
        foreach (SetMember member in View)
            pages.TryAdd(_memory.Trees, new HashField(member.AsText(scratch)), out _);
        _memory.Resize(TreePayloadSize, KeyEncoding.HashTable);
        EntryValue.SetWord(_memory.Payload, 0, pages.Address);
    }
}
