using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Keyspace.Loading;

/// <summary>Builds a set.</summary>
// SAFETY: what is copied is sound, and as large as the payload is made.
public readonly unsafe ref struct SetLoad
{
    private readonly SetEditor _editor;

    /// <summary>Begins a set without members.</summary>
    /// <param name="value">Where it is built.</param>
    /// <param name="count">How many members will come.</param>
    public SetLoad(LoadedValue value, long count)
    {
        value.Entry.Begin(KeyType.Set, KeyEncoding.Intset, SetEditor.EmptySize(KeyEncoding.Intset));
        _editor = new SetEditor(new SetMemory(value.Entry, value.Keyspace));
        _editor.Initialize();
        _editor.Reserve(count);
    }

    /// <summary>Adds a member; false: it was there.</summary>
    public bool Add(ReadOnlySpan<byte> member) => _editor.Add(member);

    /// <summary>Adds a member; false: it was there.</summary>
    public bool Add(long member) => _editor.Add(new SetMember(member));

    /// <summary>Takes a sound intset as the set, if one may be so large.</summary>
    public static bool TryTakeIntset(LoadedValue value, ReadOnlySpan<byte> intset, long count) =>
        count <= value.Limits.SetIntsetEntriesMax && TryTake(value, intset, KeyEncoding.Intset);

    /// <summary>Takes a sound listpack without duplicates as the set, if one may be so large.</summary>
    public static bool TryTakeListpack(LoadedValue value, ReadOnlySpan<byte> listpack, long count) =>
        count <= value.Limits.SetListpackEntriesMax && TryTake(value, listpack, KeyEncoding.Listpack);

    private static bool TryTake(LoadedValue value, ReadOnlySpan<byte> payload, KeyEncoding encoding)
    {
        if (payload.Length > KeyEntry.InlineValueLengthMax)
            return false;
        payload.CopyTo(new Span<byte>(
            value.Entry.Begin(KeyType.Set, encoding, payload.Length), payload.Length));
        return true;
    }
}
