namespace Cinnabar.Transport.Epoll;

/// <summary>The system's <c>struct iovec</c>.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct IoVector
{
    internal byte* Data;
    internal nint Length;
}
