using System.Buffers;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: the slot's stripe is locked, and no other key comes or goes while the editor is used.
/// <summary>
/// A hash, to be changed; declares nothing. After the last change <see cref="Complete"/> must be called.
/// Fields past their deadline count as missing.
/// </summary>
public readonly unsafe ref struct HashEditor
{
    private readonly KeyspaceAccess _access;
    private readonly ValueSlot _slot;

    internal HashEditor(KeyspaceAccess access, ValueSlot slot)
    {
        Debug.Assert(slot.Type == KeyType.Hash, "not a hash");
        _access = access;
        _slot = slot;
    }

    /// <summary>Whether there is no hash.</summary>
    public bool IsMissing => _access is null;

    /// <summary>The hash as it is now.</summary>
    public HashView View => IsMissing ? default : new HashView(_slot.Entry, _access);

    private TreeSource Trees => _access.Keyspace.Trees;

    private bool IsPacked => _slot.Encoding != KeyEncoding.HashTable;

    /// <summary>Prepares for a number of fields with values, some of which may exist or repeat: what no
    /// listpack may hold becomes a tree at once, as in Redis since 7.2.</summary>
    public void Reserve(long count)
    {
        if (!IsPacked || count <= _access.Keyspace.Limits.HashListpackEntriesMax)
            return;
        _slot.BeginChange();
        BecomeTree();
    }

    /// <summary>Adds a field, or gives it another value.</summary>
    /// <param name="field">The field; must not lie in this hash.</param>
    /// <param name="value">Its value; must not lie in this hash.</param>
    /// <param name="deadlineMs">Unix time in milliseconds, <see cref="HashStore.NoDeadline"/> or
    /// <see cref="HashStore.KeepDeadline"/>.</param>
    /// <param name="hint">What is known of the field.</param>
    /// <returns>Whether the field is new.</returns>
    public bool Set(ReadOnlySpan<byte> field, ReadOnlySpan<byte> value,
        long deadlineMs = HashStore.NoDeadline, MemberHint hint = default)
    {
        Debug.Assert(deadlineMs is >= HashStore.KeepDeadline and <= HashStore.DeadlineMsMax, "no deadline");
        _slot.BeginChange();
        if (IsPacked)
        {
            CollectionLimits limits = _access.Keyspace.Limits;
            if (Math.Max(field.Length, value.Length) <= limits.HashListpackValueMax
                && TrySetPacked(field, value, deadlineMs, out bool isNew))
            {
                if (new PackedHash(_slot.Entry).Count > limits.HashListpackEntriesMax)
                    BecomeTree();
                return isNew;
            }

            BecomeTree();
        }

        return SetInTree(field, value, deadlineMs, hint);
    }

    /// <summary>Removes a field.</summary>
    /// <param name="field">The field.</param>
    /// <param name="hint">What is known of it.</param>
    /// <returns>Whether it was there.</returns>
    public bool Remove(ReadOnlySpan<byte> field, MemberHint hint = default)
    {
        if (IsPacked)
        {
            var packed = new PackedHash(_slot.Entry);
            int position = packed.Find(field);
            if (position == 0)
                return false;
            bool wasThere = IsThere(packed.DeadlineAt(position));
            _slot.BeginChange();
            new PackedHashEditor(_slot).Remove(position);
            return wasThere;
        }

        HashPages pages = HashTree.Pages(_slot.Entry);
        long deadlineMs = HashStore.NoDeadline;
        if (HashTree.HasDeadlines(_slot.Entry))
        {
            if (!pages.TryGet(Trees, field, out HashField found, hint))
                return false;
            deadlineMs = found.DeadlineMs;
        }

        _slot.BeginChange();
        bool isRemoved = pages.Remove(Trees, field, hint);
        HashTree.SetPages(_slot.Entry, pages);
        if (deadlineMs >= 0)
            ChangeOrder(field, deadlineMs, HashStore.NoDeadline);
        return isRemoved && IsThere(deadlineMs);
    }

    /// <summary>Gives a field, which is there, a deadline or takes it away.</summary>
    /// <param name="field">The field; must not lie in this hash.</param>
    /// <param name="deadlineMs">Unix time in milliseconds, or <see cref="HashStore.NoDeadline"/>.</param>
    public void SetDeadline(ReadOnlySpan<byte> field, long deadlineMs)
    {
        Debug.Assert(deadlineMs is >= HashStore.NoDeadline and <= HashStore.DeadlineMsMax, "no deadline");
        _slot.BeginChange();
        if (IsPacked)
        {
            if (TrySetDeadlinePacked(field, deadlineMs))
                return;
            BecomeTree();
        }

        HashPages pages = HashTree.Pages(_slot.Entry);
        if (!pages.TryGet(Trees, field, out HashField found) || found.DeadlineMs == deadlineMs)
            return;
        // The value lies in the pages, which are about to move.
        int length = found.Value.Length;
        byte[] value = ArrayPool<byte>.Shared.Rent(length);
        found.Value.CopyTo(value);
        SetInTree(field, value.AsSpan(0, length), deadlineMs);
        ArrayPool<byte>.Shared.Return(value);
    }

    /// <summary>Ends the change: gives memory back, and removes a hash that has no fields left.</summary>
    /// <returns>Whether the hash was removed.</returns>
    public bool Complete()
    {
        bool isPacked = IsPacked;
        bool isEmpty = isPacked
            ? new PackedHash(_slot.Entry).Reader.IsEmpty
            : HashTree.Pages(_slot.Entry).Count == 0;
        if (isEmpty)
        {
            _slot.Remove();
            return true;
        }

        if (isPacked)
            new PackedHashEditor(_slot).Trim();
        if (FieldNote.PlaceOf(_slot.Entry) != null)
            FieldNote.Update(_access, _slot, HashExpiry.FirstDeadlineMs(_slot.Entry));
        return false;
    }

    private bool IsDue(long deadlineMs) => FieldNote.IsDue(deadlineMs, _access.ExpiryNowMs);

    // Where the housekeeping does not remove it, a field past its deadline counts until a command removes it.
    private bool IsThere(long deadlineMs) =>
        !IsDue(deadlineMs) || !_access.Keyspace.IsActiveExpiryEnabled;

    private bool TrySetPacked(
        ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, long deadlineMs, out bool isNew)
    {
        var editor = new PackedHashEditor(_slot);
        var packed = new PackedHash(_slot.Entry);
        int position = packed.Find(field);
        isNew = position == 0;
        if (deadlineMs >= 0 && !packed.HasDeadlines)
        {
            if (!editor.TryAddDeadlines())
                return false;
            packed = new PackedHash(_slot.Entry);
            position = packed.Find(field);
        }

        if (position == 0)
            return editor.TryAdd(field, value, deadlineMs);
        if (!packed.HasDeadlines)
            return editor.TryReplaceValue(position, value);
        long oldMs = packed.DeadlineAt(position);
        isNew = IsDue(oldMs);
        long newMs = NewDeadline(oldMs, deadlineMs);
        return editor.TryReplaceValue(position, value)
            && (newMs == oldMs || editor.TrySetDeadline(position, newMs));
    }

    private bool TrySetDeadlinePacked(ReadOnlySpan<byte> field, long deadlineMs)
    {
        var editor = new PackedHashEditor(_slot);
        if (!new PackedHash(_slot.Entry).HasDeadlines && !editor.TryAddDeadlines())
            return false;
        int position = new PackedHash(_slot.Entry).Find(field);
        return position == 0 || editor.TrySetDeadline(position, deadlineMs);
    }

    // A field past its deadline is gone, and its deadline with it.
    private long NewDeadline(long oldMs, long deadlineMs)
    {
        if (deadlineMs != HashStore.KeepDeadline)
            return deadlineMs;
        return IsDue(oldMs) ? HashStore.NoDeadline : oldMs;
    }

    private bool SetInTree(
        ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, long deadlineMs, MemberHint hint = default)
    {
        HashPages pages = HashTree.Pages(_slot.Entry);
        if (deadlineMs < 0 && !HashTree.HasDeadlines(_slot.Entry))
        {
            bool isAdded = pages.Set(Trees, new HashField(field, value), hint);
            HashTree.SetPages(_slot.Entry, pages);
            return isAdded;
        }

        bool wasThere = pages.TryGet(Trees, field, out HashField old, hint);
        long oldMs = wasThere ? old.DeadlineMs : HashStore.NoDeadline;
        long newMs = NewDeadline(oldMs, deadlineMs);
        pages.Set(Trees, new HashField(field, value, newMs), hint);
        HashTree.SetPages(_slot.Entry, pages);
        ChangeOrder(field, oldMs, newMs);
        return !wasThere || IsDue(oldMs);
    }

    // Takes a deadline of a tree's field out of the order and puts another in; either may be none.
    private void ChangeOrder(ReadOnlySpan<byte> field, long oldMs, long newMs)
    {
        if (oldMs == newMs)
            return;
        if (!HashTree.HasDeadlines(_slot.Entry))
            AddDeadlines(FieldNote.None);
        FieldDeadlines deadlines = HashTree.Deadlines(_slot.Entry);
        if (newMs >= 0)
            deadlines.Add(Trees, newMs, field);
        if (oldMs >= 0)
            deadlines.Remove(Trees, oldMs, field);
        HashTree.SetDeadlines(_slot.Entry, deadlines);
    }

    private void AddDeadlines(long notedMs)
    {
        Debug.Assert(!HashTree.HasDeadlines(_slot.Entry), "it has deadlines already");
        FieldDeadlines deadlines = FieldDeadlines.Create(Trees);
        _slot.Resize(HashTree.DeadlinesSize);
        HashTree.SetDeadlines(_slot.Entry, deadlines);
        FieldNote.Set(FieldNote.PlaceOf(_slot.Entry), notedMs);
    }

    private void BecomeTree()
    {
        Debug.Assert(IsPacked, "it is a tree already");
        HashPages pages = HashPages.Create(Trees);
        var packed = new PackedHash(_slot.Entry);
        bool hasDeadlines = packed.HasDeadlines;
        long notedMs = hasDeadlines
            ? FieldNote.DeadlineMs(FieldNote.PlaceOf(_slot.Entry))
            : FieldNote.None;
        FieldDeadlines deadlines = hasDeadlines ? FieldDeadlines.Create(Trees) : default;
        Span<byte> nameScratch = stackalloc byte[FieldText.ScratchSize];
        Span<byte> valueScratch = stackalloc byte[FieldText.ScratchSize];
        ListpackReader reader = packed.Reader;
        for (int position = Listpack.HeaderSize; position < reader.End;
             position = reader.Behind(position, packed.Stride))
        {
            FieldView field = packed.FieldAt(position);
            ReadOnlySpan<byte> name = field.Name.AsText(nameScratch);
            pages.Set(Trees, new HashField(name, field.Value.AsText(valueScratch), field.DeadlineMs));
            if (field.DeadlineMs >= 0)
                deadlines.Add(Trees, field.DeadlineMs, name);
        }

        int size = hasDeadlines ? HashTree.DeadlinesSize : HashTree.PlainSize;
        _slot.Resize(size, KeyEncoding.HashTable);
        HashTree.SetPages(_slot.Entry, pages);
        if (!hasDeadlines)
            return;
        HashTree.SetDeadlines(_slot.Entry, deadlines);
        FieldNote.Set(FieldNote.PlaceOf(_slot.Entry), notedMs);
    }
}
