namespace Cinnabar.Structures.Tables;

/// <summary>
/// A place in a <see cref="SegmentTable{TEntry}"/>, found once so that replacing or removing what is there
/// needs no second search. Valid until the table's next insertion or removal.
/// </summary>
public readonly unsafe struct SlotReference
{
    // SAFETY: a slot of a segment in use; only an insertion or removal could give the segment back.
    internal readonly ulong* Slot;

    /// <summary>The hash of the key in it.</summary>
    public readonly ulong Hash;

    internal SlotReference(ulong* slot, ulong hash)
    {
        Slot = slot;
        Hash = hash;
    }

    /// <summary>The entry in it.</summary>
    public byte* Entry => TableHash.SlotEntry(*Slot);
}
