using System.Net;

namespace Cinnabar.Transport.Epoll;

/// <summary>Socket addresses of Linux as CLIENT LIST shows them.</summary>
internal static class SocketAddressText
{
    private const int FamilyIPv4 = 2;
    private const int FamilyIPv6 = 10;
    private const int TextSize = 80;
    private const int IPv4Loopback = 127;

    /// <summary>The text of a <c>sockaddr</c>, <c>127.0.0.1:6379</c> or <c>[::1]:6379</c>; empty where it is
    /// neither.</summary>
    /// <param name="address">The address.</param>
    /// <param name="known">A text to reuse if it is the same.</param>
    public static string Format(ReadOnlySpan<byte> address, string known = "")
    {
        Span<char> text = stackalloc char[TextSize];
        ReadOnlySpan<byte> four = IPv4Of(address);
        int length;
        if (!four.IsEmpty)
            text.TryWrite($"{four[0]}.{four[1]}.{four[2]}.{four[3]}:{PortOf(address)}", out length);
        else if (IsIPv6(address))
            text.TryWrite($"[{new IPAddress(address.Slice(8, 16))}]:{PortOf(address)}", out length);
        else
            return "";
        return text[..length].SequenceEqual(known) ? known : new string(text[..length]);
    }

    /// <summary>Whether the address is one of this machine's loopback.</summary>
    public static bool IsLoopback(ReadOnlySpan<byte> address)
    {
        ReadOnlySpan<byte> four = IPv4Of(address);
        if (!four.IsEmpty)
            return four[0] == IPv4Loopback;
        return IsIPv6(address) && IPAddress.IsLoopback(new IPAddress(address.Slice(8, 16)));
    }

    private static int PortOf(ReadOnlySpan<byte> address) => (address[2] << 8) | address[3];

    private static int FamilyOf(ReadOnlySpan<byte> address) =>
        address.Length >= 8 ? address[0] | (address[1] << 8) : 0;

    private static bool IsIPv6(ReadOnlySpan<byte> address) =>
        FamilyOf(address) == FamilyIPv6 && address.Length >= 28;

    /// <summary>The four bytes of an IPv4 address, mapped to IPv6 or not; else nothing.</summary>
    private static ReadOnlySpan<byte> IPv4Of(ReadOnlySpan<byte> address)
    {
        if (FamilyOf(address) == FamilyIPv4)
            return address.Slice(4, 4);
        bool isMapped = IsIPv6(address) && address.Slice(8, 10).IndexOfAnyExcept((byte)0) < 0
            && address[18] == 0xFF && address[19] == 0xFF;
        return isMapped ? address.Slice(20, 4) : default;
    }
}
