using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Loading;

/// <summary>Builds a set.</summary>
// SAFETY: what is copied is sound, and as large as the payload is made.
public readonly unsafe ref struct SetLoad
{
    private readonly LoadedValue _value;
    private readonly SetEditor _editor;

    /// <summary>Begins a set without members.</summary>
    /// <param name="value">Where it is built.</param>
    /// <param name="count">How many members will come.</param>
    public SetLoad(LoadedValue value, long count)
    {
        _value = value;
        value.Entry.Begin(KeyType.Set, KeyEncoding.Intset, SetEditor.EmptySize(KeyEncoding.Intset));
        _editor = new SetEditor(new SetMemory(value.Entry, value.Keyspace));
        _editor.Initialize();
        _editor.Reserve(count);
    }

    /// <summary>Adds a member.</summary>
    /// <returns>False: it was there. True may be wrong: <see cref="IsComplete"/> finds that out, since to
    /// look for each member of a listpack takes quadratic time.</returns>
    public bool Add(ReadOnlySpan<byte> member) => _editor.AddUnchecked(member);

    /// <summary>Whether the set has as many different members as were added.</summary>
    public bool IsComplete(long count)
    {
        SetView view = _editor.View;
        return view.Count == count && (view.Encoding != KeyEncoding.Listpack
            || !ListpackDuplicates.Has(_value.Entry.Payload, 1, _value.Keyspace.Seed));
    }

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
