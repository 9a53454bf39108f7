using System.Runtime.Versioning;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Epoll;

/// <summary>The addresses of accepted descriptors, as sessions show them. One loop uses it.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class AcceptedEndpoints
{
    private const int AddressSize = 128;

    private string _localText = "";

    /// <summary>Describes a connection.</summary>
    /// <param name="kind">What its listener's connections are.</param>
    /// <param name="descriptor">The descriptor.</param>
    /// <param name="address">The peer's <c>sockaddr</c>; of no use for a Unix socket.</param>
    public SessionEndpoint Describe(ListenerKind kind, int descriptor, ReadOnlySpan<byte> address)
    {
        if (kind.UnixPath is { } path)
            return new SessionEndpoint($"{path}:0", $"{path}:0", descriptor, ConnectionKind.Unix, true);
        Span<byte> local = stackalloc byte[AddressSize];
        int length = local.Length;
        fixed (byte* place = local)
            length = EpollCalls.LocalName(descriptor, place, &length) < 0 ? 0 : length;
        // Nearly all connections come to the same address.
        _localText = SocketAddressText.Format(local[..length], _localText);
        return new SessionEndpoint(
            SocketAddressText.Format(address), _localText, descriptor,
            kind.IsTls ? ConnectionKind.Tls : ConnectionKind.Tcp, SocketAddressText.IsLoopback(address));
    }
}
