namespace Cinnabar.Transport.Uring;

/// <summary>An entry of a ring of provided buffers (struct io_uring_buf).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct UringBuffer
{
    public ulong Address;
    public uint Length;
    public ushort Id;

    /// <summary>In the first entry: the ring's tail. Else not used.</summary>
    public ushort Tail;
}
