namespace Cinnabar.Transport.Uring;

/// <summary>Where the parts of a ring are in its mapping (struct io_sqring_offsets and io_cqring_offsets).
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 40)]
internal struct UringOffsets
{
    [FieldOffset(0)]
    public uint Head;

    [FieldOffset(4)]
    public uint Tail;

    [FieldOffset(8)]
    public uint Mask;

    /// <summary>Of submissions: the flags that the kernel sets.</summary>
    [FieldOffset(16)]
    public uint Flags;

    /// <summary>Of completions: the entries.</summary>
    [FieldOffset(20)]
    public uint Entries;

    /// <summary>Of submissions: the array of the entries' indices.</summary>
    [FieldOffset(24)]
    public uint Array;
}
