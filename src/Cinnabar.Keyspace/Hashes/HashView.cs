using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: an execution makes views only of live entries of stripes that it has locked.
/// <summary>
/// A hash, to be read; a missing one has no fields. Fields past their deadline are not there. Valid until
/// the next change to the stripe.
/// </summary>
public readonly unsafe ref struct HashView
{
    // After this many picks in a row of fields past their deadline, the fields are counted instead.
    private const int PickCountMax = 64;

    private readonly byte* _entry;
    private readonly TreeSource _trees;
    private readonly long _nowMs;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal HashView(byte* entry, KeyspaceAccess access)
    {
        _entry = entry;
        _trees = access.Keyspace.Trees;
        _nowMs = access.ExpiryNowMs;
    }

    /// <summary>Whether the fields lie in the entry, at most some hundred of them.</summary>
    public bool IsPacked => _entry == null || KeyEntry.Encoding(_entry) != KeyEncoding.HashTable;

    /// <summary>Fields.</summary>
    public long Count
    {
        get
        {
            if (_entry == null)
                return 0;
            if (!IsPacked)
                return HashTree.Pages(_entry).Count - HashTree.CountDue(_entry, _nowMs);
            var packed = new PackedHash(_entry);
            return packed.Count - packed.CountDue(_nowMs, out _);
        }
    }

    /// <summary>Fields, those included that are past their deadline and have not been removed yet.</summary>
    public long CountStored => _entry == null ? 0 : ValueSize.Of(new EntryView(_entry));

    /// <summary>Whether fields past their deadline have not been removed yet.</summary>
    public bool HasDue => _entry != null && (IsPacked
        ? new PackedHash(_entry).CountDue(_nowMs, out _) != 0
        : HashTree.CountDue(_entry, _nowMs) != 0);

    /// <summary>Finds a field's value.</summary>
    /// <param name="field">The field.</param>
    /// <param name="value">Its value.</param>
    /// <param name="hint">What is known of the field.</param>
    public bool TryGet(ReadOnlySpan<byte> field, out FieldText value, MemberHint hint = default)
    {
        value = default;
        if (_entry == null)
            return false;
        if (!IsPacked)
        {
            if (!HashTree.Pages(_entry).TryGet(_trees, field, out HashField found, hint)
                || FieldNote.IsDue(found.DeadlineMs, _nowMs))
                return false;
            value = new FieldText(found.Value);
            return true;
        }

        var packed = new PackedHash(_entry);
        int position = packed.Find(field);
        if (position == 0 || (packed.HasDeadlines && FieldNote.IsDue(packed.DeadlineAt(position), _nowMs)))
            return false;
        value = packed.ValueAt(position);
        return true;
    }

    /// <summary>Finds a field's deadline, Unix time in milliseconds; &#8722;1: it has none.</summary>
    public bool TryGetDeadline(ReadOnlySpan<byte> field, out long deadlineMs)
    {
        deadlineMs = HashStore.NoDeadline;
        if (_entry == null)
            return false;
        if (!IsPacked)
        {
            bool isFound = HashTree.Pages(_entry).TryGet(_trees, field, out HashField found);
            deadlineMs = isFound ? found.DeadlineMs : HashStore.NoDeadline;
            return isFound && !FieldNote.IsDue(deadlineMs, _nowMs);
        }

        var packed = new PackedHash(_entry);
        int position = packed.Find(field);
        if (position == 0)
            return false;
        deadlineMs = packed.DeadlineAt(position);
        return !FieldNote.IsDue(deadlineMs, _nowMs);
    }

    /// <summary>All fields, in no order that means anything.</summary>
    public FieldEnumerator GetEnumerator() => new(_entry, _nowMs);

    /// <summary>
    /// Shows the fields from a cursor on: all of a packed hash; of another at least
    /// <paramref name="countMin"/> if there are as many, those past their deadline counted but not shown.
    /// </summary>
    /// <returns>The cursor to go on with, or 0 at the end.</returns>
    public ulong Scan<TVisitor>(ulong cursor, long countMin, ref TVisitor visitor)
        where TVisitor : struct, IFieldViewVisitor
    {
        if (!IsPacked)
        {
            var living = new LivingVisitor<TVisitor>(ref visitor, _nowMs);
            return HashTree.Pages(_entry).Scan(_trees, cursor, countMin, ref living);
        }

        foreach (FieldView field in this)
            visitor.Visit(in field);
        return 0;
    }

    /// <summary>The field of a rank, 0 to <see cref="Count"/> - 1, of a hash without
    /// <see cref="HasDue"/>.</summary>
    public FieldView At(long rank)
    {
        if (!IsPacked)
            return FieldEnumerator.ViewOf(HashTree.Pages(_entry).At(rank));
        var packed = new PackedHash(_entry);
        return packed.FieldAt(packed.Reader.Seek((int)rank * packed.Stride));
    }

    /// <summary>A random field; there must be one.</summary>
    public FieldView Pick(ref RandomSource random)
    {
        if (IsPacked)
        {
            var packed = new PackedHash(_entry);
            int dueCount = packed.CountDue(_nowMs, out _);
            int index = dueCount + (int)random.NextBelow((ulong)(packed.Count - dueCount));
            return packed.FieldAt(packed.Reader.Seek(index * packed.Stride));
        }

        HashPages pages = HashTree.Pages(_entry);
        for (int tries = 0; tries < PickCountMax; tries++)
        {
            HashField field = pages.At((long)random.NextBelow((ulong)pages.Count));
            if (!FieldNote.IsDue(field.DeadlineMs, _nowMs))
                return FieldEnumerator.ViewOf(in field);
        }

        long left = (long)random.NextBelow((ulong)Count);
        FieldEnumerator fields = GetEnumerator();
        while (fields.MoveNext() && left > 0)
            left--;
        return fields.Current;
    }

    private readonly ref struct LivingVisitor<TVisitor>(ref TVisitor visitor, long nowMs) : IFieldVisitor
        where TVisitor : struct, IFieldViewVisitor
    {
        private readonly ref TVisitor _visitor = ref visitor;

        public void Visit(in HashField field)
        {
            if (!FieldNote.IsDue(field.DeadlineMs, nowMs))
                _visitor.Visit(FieldEnumerator.ViewOf(in field));
        }
    }
}
