using System;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Cinnabar.Load;

/// <summary>Where a server listens: a host and a port, or, where that is set, the path of a unix
/// socket.</summary>
public sealed record ServerAddress(string Host = "127.0.0.1", int Port = 6379, string? UnixSocket = null)
{
    /// <summary>Reads <c>host:port</c>, <c>host</c>, <c>[v6]:port</c> or a path that begins with a
    /// slash.</summary>
    /// <exception cref="LoadException">It is none of these.</exception>
    public static ServerAddress Parse(string text)
    {
        if (text.StartsWith('/')) return new(UnixSocket: text);
        int colon = text.LastIndexOf(':');
        bool hasPort = colon >= 0 && (text.IndexOf(':', StringComparison.Ordinal) == colon
            || text[colon - 1] == ']');
        string host = (hasPort ? text[..colon] : text).Trim('[', ']');
        int port = 6379;
        bool isPort = !hasPort || (int.TryParse(text[(colon + 1)..], NumberStyles.None,
            CultureInfo.InvariantCulture, out port) && port is > 0 and <= 65535);
        return host.Length > 0 && isPort ? new(host, port) : throw new LoadException($"no address: {text}");
    }

    public override string ToString() => UnixSocket ?? $"{Host}:{Port}";

    /// <summary>A new connection, blocking, without Nagle's algorithm.</summary>
    /// <exception cref="SocketException">No server answers there.</exception>
    internal Socket Connect()
    {
        if (UnixSocket is not null)
            return Connect(new UnixDomainSocketEndPoint(UnixSocket), ProtocolType.Unspecified);
        IPAddress[] addresses = IPAddress.TryParse(Host, out IPAddress? literal) ? [literal]
            : Dns.GetHostAddresses(Host);
        for (int index = 0; ; index++)
        {
            try
            {
                return Connect(new IPEndPoint(addresses[index], Port), ProtocolType.Tcp);
            }
            catch (SocketException) when (index + 1 < addresses.Length)
            {
                continue; // A name may have an address on which this server does not listen.
            }
        }
    }

    private static Socket Connect(EndPoint target, ProtocolType protocol)
    {
        var socket = new Socket(target.AddressFamily, SocketType.Stream, protocol);
        try
        {
            if (protocol == ProtocolType.Tcp) socket.NoDelay = true;
            socket.Connect(target);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
