using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Sets;

/// <summary>Where the set that an editor changes lies: in a key's entry, or in a scratch.</summary>
// SAFETY: as of ValueSlot and DetachedEntry.
internal readonly unsafe ref struct SetMemory
{
    private readonly ValueSlot _slot;
    private readonly DetachedEntry? _scratch;

    public SetMemory(ValueSlot slot, Keyspace keyspace)
    {
        _slot = slot;
        Keyspace = keyspace;
    }

    public SetMemory(DetachedEntry scratch, Keyspace keyspace)
    {
        _scratch = scratch;
        Keyspace = keyspace;
    }

    /// <summary>The key space.</summary>
    public Keyspace Keyspace { get; }

    /// <summary>Where trees come from.</summary>
    public TreeSource Trees => Keyspace.Trees;

    /// <summary>How the set is stored.</summary>
    public KeyEncoding Encoding => _scratch is null ? _slot.Encoding : _scratch.Encoding;

    /// <summary>The payload. Moves with <see cref="Resize"/>.</summary>
    public byte* Payload => _scratch is null ? _slot.Payload : _scratch.Payload;

    /// <summary>The tree of a set that is one.</summary>
    public HashPages Pages
    {
        get => HashPages.FromAddress(EntryValue.Word(Payload, 0));
        set => EntryValue.SetWord(Payload, 0, value.Address);
    }

    /// <summary>Gives the payload another size, and perhaps another encoding; as much of its contents as fits
    /// stays.</summary>
    public byte* Resize(int size, KeyEncoding encoding) =>
        _scratch is null ? _slot.Resize(size, encoding) : _scratch.Resize(size, encoding);
}
