namespace Cinnabar.Engine.Specs;

// Finds a command by its name, in any case, without allocation.
//
// An open-addressed table of at least twice as many slots as names. A slot holds the name's first eight
// bytes in lower case as one number, the length, and the spec; so a command of up to eight letters (nearly
// all that matter) is found by one multiplication and two comparisons. Longer names compare their rest.
//
//     "GetRange" -> head 0x65676e6172746567, length 8 -> slot ((head + length) * odd constant) >> shift
//
// Names fold A-Z only, as the protocol does; other bytes stay what they are, so a name given by
// rename-command may hold any byte.
//
// Why not a perfect hash: rename-command changes the names at run time, and at a quarter to a half full a
// probe rarely takes a second step. Limits: names are removed only by building a new table.

/// <summary>A table of commands by name, in any case.</summary>
internal sealed class CommandNames
{
    private const int SlotCountMin = 8;
    private readonly List<CommandSpec> _all = [];
    private Slot[] _slots = new Slot[SlotCountMin];
    private int _shift = 64 - 3;

    /// <summary>The commands in the order in which they were added.</summary>
    public ReadOnlySpan<CommandSpec> All => CollectionsMarshal.AsSpan(_all);

    /// <summary>Adds a command under a name that is not taken and need not be its own.</summary>
    /// <param name="name">Any bytes; its letters count as lower case.</param>
    /// <param name="spec">The command.</param>
    public void Add(ReadOnlySpan<byte> name, CommandSpec spec)
    {
        Debug.Assert(Find(name) == null, "two commands of one name");
        _all.Add(spec);
        if (_all.Count * 2 > _slots.Length) Grow();
        var folded = new byte[name.Length];
        for (int i = 0; i < name.Length; i++) folded[i] = NameFold.Fold(name[i]);
        Insert(new Slot { Head = NameFold.Head(name), Name = folded, Spec = spec });
    }

    /// <summary>Finds a command; null: none has this name.</summary>
    public CommandSpec? Find(ReadOnlySpan<byte> name)
    {
        ulong head = NameFold.Head(name);
        Slot[] slots = _slots;
        int mask = slots.Length - 1;
        for (int i = NameFold.Bucket(head, name.Length, _shift); ; i++)
        {
            ref readonly Slot slot = ref slots[i & mask];
            if (slot.Name == null) return null;
            if (slot.Head != head || slot.Name.Length != name.Length) continue;
            if (name.Length <= NameFold.HeadSize || NameFold.EqualRest(name, slot.Name)) return slot.Spec;
        }
    }

    /// <summary>A copy of the table in which one command has another name, or none.</summary>
    public CommandNames With(CommandSpec renamed, ReadOnlySpan<byte> newName)
    {
        var copy = new CommandNames();
        foreach (CommandSpec spec in _all)
        {
            if (spec == renamed)
            {
                if (newName.Length > 0) copy.Add(newName, spec);
                continue;
            }

            foreach (Slot slot in _slots)
            {
                if (slot.Spec == spec) copy.Add(slot.Name, spec);
            }
        }

        return copy;
    }

    private void Grow()
    {
        Slot[] old = _slots;
        _slots = new Slot[old.Length * 2];
        _shift--;
        foreach (Slot slot in old)
        {
            if (slot.Name != null) Insert(slot);
        }
    }

    private void Insert(Slot slot)
    {
        int mask = _slots.Length - 1;
        int i = NameFold.Bucket(slot.Head, slot.Name!.Length, _shift);
        while (_slots[i & mask].Name != null) i++;
        _slots[i & mask] = slot;
    }

    private struct Slot
    {
        public ulong Head;
        public byte[]? Name;
        public CommandSpec? Spec;
    }
}
