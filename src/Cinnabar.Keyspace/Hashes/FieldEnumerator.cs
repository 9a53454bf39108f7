using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: as of the view that it goes through.
/// <summary>Goes through the fields of a <see cref="HashView"/> that are not past their deadline.</summary>
public unsafe ref struct FieldEnumerator
{
    private readonly byte* _entry;
    private readonly long _nowMs;
    private readonly bool _isPacked;
    private HashFieldEnumerator _tree;
    private int _position;
    private int _next;

    internal FieldEnumerator(byte* entry, long nowMs)
    {
        _entry = entry;
        _nowMs = nowMs;
        _isPacked = entry == null || KeyEntry.Encoding(entry) != KeyEncoding.HashTable;
        if (!_isPacked)
            _tree = HashTree.Pages(entry).GetEnumerator();
        else if (entry != null)
            new PackedHash(entry).CountDue(nowMs, out _next);
    }

    /// <summary>The field.</summary>
    public readonly FieldView Current =>
        _isPacked ? new PackedHash(_entry).FieldAt(_position) : ViewOf(_tree.Current);

    /// <summary>The field's name alone.</summary>
    public readonly FieldText Name =>
        _isPacked ? new PackedHash(_entry).NameAt(_position) : new FieldText(_tree.Current.Member);

    /// <summary>The field's value alone.</summary>
    public readonly FieldText Value =>
        _isPacked ? new PackedHash(_entry).ValueAt(_position) : new FieldText(_tree.Current.Value);

    /// <summary>Goes to the next field.</summary>
    public bool MoveNext()
    {
        if (_isPacked)
            return MoveNextPacked();
        while (_tree.MoveNext())
        {
            if (!FieldNote.IsDue(_tree.Current.DeadlineMs, _nowMs))
                return true;
        }

        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static FieldView ViewOf(scoped in HashField field) =>
        new(new FieldText(field.Member), new FieldText(field.Value), field.DeadlineMs);

    // Those past their deadline come first, so they lie behind the walk.
    private bool MoveNextPacked()
    {
        if (_entry == null)
            return false;
        var packed = new PackedHash(_entry);
        ListpackReader reader = packed.Reader;
        _position = _next;
        if (_position >= reader.End)
            return false;
        _next = reader.Behind(_position, packed.Stride);
        return true;
    }
}
