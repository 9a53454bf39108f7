namespace Cinnabar.Transport.Uring;

/// <summary>A descriptor whose state is asked for (struct pollfd).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PolledDescriptor
{
    public int Descriptor;
    public short Interest;
    public short Events;
}
