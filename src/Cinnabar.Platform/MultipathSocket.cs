using System.Net.Sockets;

namespace Cinnabar.Platform;

/// <summary>Makes sockets of multipath TCP, which the framework does not know. Linux only.</summary>
public static class MultipathSocket
{
    private const int FamilyV4 = 2;
    private const int FamilyV6 = 10;
    private const int StreamCloseOnExec = 0x80001;
    private const int MultipathTcp = 262;

    /// <summary>A socket that is not connected.</summary>
    /// <param name="family">IPv4 or IPv6.</param>
    /// <exception cref="SocketException">This system has no multipath TCP.</exception>
    public static Socket Open(AddressFamily family)
    {
        if (!OperatingSystem.IsLinux())
            throw new SocketException((int)SocketError.ProtocolNotSupported);
        int domain = family == AddressFamily.InterNetworkV6 ? FamilyV6 : FamilyV4;
        int descriptor = LibC.OpenSocket(domain, StreamCloseOnExec, MultipathTcp);
        return descriptor >= 0 ? new Socket(new SafeSocketHandle(descriptor, ownsHandle: true))
            : throw new SocketException((int)SocketError.ProtocolNotSupported);
    }
}
