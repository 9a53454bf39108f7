namespace Cinnabar.Transport.Uring;

/// <summary>Where the ring of provided buffers is (struct io_uring_buf_reg).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct UringBufferRegistration
{
    public ulong Address;
    public uint Count;
    public ushort Group;
    public ushort Flags;
    private readonly ulong _reserved0;
    private readonly ulong _reserved1;
    private readonly ulong _reserved2;
}
