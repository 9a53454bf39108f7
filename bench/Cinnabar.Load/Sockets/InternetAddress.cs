using System.Runtime.InteropServices;

namespace Cinnabar.Load.Sockets;

/// <summary>The system's <c>sockaddr_in</c>; port and address in network byte order.</summary>
[StructLayout(LayoutKind.Sequential, Size = 16)]
internal struct InternetAddress
{
    public ushort Family;
    public ushort Port;
    public uint Address;

    /// <summary>127.0.0.1 with a port.</summary>
    public static InternetAddress Loopback(int port) => new()
    {
        Family = LibC.InternetFamily,
        Port = System.Buffers.Binary.BinaryPrimitives.ReverseEndianness((ushort)port),
        Address = 0x0100007f,
    };
}
