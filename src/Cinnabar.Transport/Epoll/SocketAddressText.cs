using System;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Cinnabar.Transport.Epoll;

/// <summary>Socket addresses of Linux as CLIENT LIST shows them.</summary>
internal static class SocketAddressText
{
    private const int FamilyIPv4 = 2;
    private const int FamilyIPv6 = 10;

    /// <summary>The text of a <c>sockaddr</c>, <c>127.0.0.1:6379</c> or <c>[::1]:6379</c>; empty where it is
    /// neither.</summary>
    public static string Format(ReadOnlySpan<byte> address)
    {
        IPAddress? ip = Read(address);
        if (ip is null)
            return "";
        int port = (address[2] << 8) | address[3];
        string host = ip.AddressFamily == AddressFamily.InterNetworkV6 ? $"[{ip}]" : ip.ToString();
        return string.Create(CultureInfo.InvariantCulture, $"{host}:{port}");
    }

    /// <summary>Whether the address is one of this machine's loopback.</summary>
    public static bool IsLoopback(ReadOnlySpan<byte> address) =>
        Read(address) is { } ip && IPAddress.IsLoopback(ip);

    private static IPAddress? Read(ReadOnlySpan<byte> address)
    {
        int family = address.Length >= 8 ? address[0] | (address[1] << 8) : 0;
        if (family == FamilyIPv4)
            return new IPAddress(address.Slice(4, 4));
        if (family != FamilyIPv6 || address.Length < 28)
            return null;
        var ip = new IPAddress(address.Slice(8, 16));
        return ip.IsIPv4MappedToIPv6 ? ip.MapToIPv4() : ip;
    }
}
