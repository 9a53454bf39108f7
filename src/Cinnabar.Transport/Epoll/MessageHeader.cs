namespace Cinnabar.Transport.Epoll;

/// <summary>The system's <c>struct msghdr</c>.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct MessageHeader
{
    internal void* Name;
    internal uint NameLength;
    internal IoVector* Vectors;
    internal nint VectorCount;
    internal void* Control;
    internal nint ControlLength;
    internal int Flags;
}
