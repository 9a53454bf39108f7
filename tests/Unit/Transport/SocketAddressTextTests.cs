using System;
using System.Net;
using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>The texts of socket addresses, against the framework's.</summary>
public sealed class SocketAddressTextTests
{
    [Theory]
    [InlineData("127.0.0.1", 6379, "127.0.0.1:6379", true)]
    [InlineData("127.255.3.4", 1, "127.255.3.4:1", true)]
    [InlineData("203.0.113.255", 65535, "203.0.113.255:65535", false)]
    [InlineData("0.0.0.0", 0, "0.0.0.0:0", false)]
    [InlineData("::1", 6379, "[::1]:6379", true)]
    [InlineData("2001:db8::ff00:42:8329", 40000, "[2001:db8::ff00:42:8329]:40000", false)]
    [InlineData("::ffff:127.0.0.1", 6379, "127.0.0.1:6379", true)]
    [InlineData("::ffff:203.0.113.7", 6379, "203.0.113.7:6379", false)]
    [InlineData("fe80::1", 9, "[fe80::1]:9", false)]
    public void AddressesAreFormatted(string ip, int port, string text, bool isLoopback)
    {
        byte[] address = Socket(IPAddress.Parse(ip), port);
        Assert.Equal(text, SocketAddressText.Format(address));
        Assert.Equal(isLoopback, SocketAddressText.IsLoopback(address));
        string known = new(text.ToCharArray());
        Assert.Same(known, SocketAddressText.Format(address, known));
    }

    [Fact]
    public void OtherAddressFamiliesAreEmpty()
    {
        Assert.Equal("", SocketAddressText.Format(default));
        Assert.Equal("", SocketAddressText.Format(new byte[] { 1, 0, 0, 0, 0, 0, 0, 0 }));
        Assert.Equal("", SocketAddressText.Format(new byte[] { 10, 0, 0, 0, 0, 0, 0, 0 }));
        Assert.False(SocketAddressText.IsLoopback(default));
    }

    private static byte[] Socket(IPAddress ip, int port)
    {
        byte[] bytes = ip.GetAddressBytes();
        byte[] head = [(byte)(bytes.Length == 4 ? 2 : 10), 0, (byte)(port >> 8), (byte)port];
        return bytes.Length == 4
            ? [.. head, .. bytes, .. new byte[8]]
            : [.. head, .. new byte[4], .. bytes, .. new byte[4]];
    }
}
