namespace Cinnabar.Structures;

/// <summary>
/// A place in a <see cref="SegmentTable{TEntry}"/>, found once so that replacing or removing what is there needs
/// no second search. Valid until the table's next insertion or removal.
/// </summary>
public readonly unsafe struct SlotReference
{
    internal readonly byte* Bucket;
    internal readonly ulong Hash;
    internal readonly int Index;

    internal SlotReference(byte* bucket, int index, ulong hash)
    {
        Bucket = bucket;
        Index = index;
        Hash = hash;
    }

    /// <summary>The entry that stands there.</summary>
    public byte* Entry => TableHash.SlotEntry(Structures.Bucket.Slot(Bucket, Index));
}
