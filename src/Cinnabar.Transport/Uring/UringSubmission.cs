namespace Cinnabar.Transport.Uring;

/// <summary>An entry of a submission ring, as the kernel reads it (struct io_uring_sqe).</summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal struct UringSubmission
{
    /// <summary>What to do: an <c>Op</c> of <see cref="UringCalls"/>.</summary>
    [FieldOffset(0)]
    public byte Opcode;

    /// <summary>Flags of every operation.</summary>
    [FieldOffset(1)]
    public byte Flags;

    /// <summary>Flags of receives, sends and accepts.</summary>
    [FieldOffset(2)]
    public ushort SocketFlags;

    [FieldOffset(4)]
    public int Descriptor;

    /// <summary>An offset, or what a message carries.</summary>
    [FieldOffset(8)]
    public ulong Offset;

    /// <summary>A place in memory, or the mark of what is canceled.</summary>
    [FieldOffset(16)]
    public ulong Address;

    [FieldOffset(24)]
    public uint Length;

    /// <summary>Flags of this operation.</summary>
    [FieldOffset(28)]
    public uint OperationFlags;

    /// <summary>What its completions carry: a <see cref="UringMark"/>.</summary>
    [FieldOffset(32)]
    public ulong Mark;

    [FieldOffset(40)]
    public ushort BufferGroup;
}
