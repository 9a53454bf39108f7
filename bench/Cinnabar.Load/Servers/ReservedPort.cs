// A port for a server that is about to be started. Whoever binds any port, reads its number and closes it
// again shares that number with everybody who asks the system for any port, clients too, until the server
// listens; and who connects to it meanwhile may meet somebody else's server. So this one is not among the
// ports that the system gives away by itself, and among those who take theirs here, in any process, it has
// one owner: who has a port of that number for datagrams, which no server here uses, and which the system
// takes back from a process that ends.
using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;

namespace Cinnabar.Load.Servers;

/// <summary>A TCP port on which nobody listens, and which nobody else gets, until it is disposed
/// of.</summary>
public sealed class ReservedPort : IDisposable
{
    private const int First = 10_000;
    private const int EndDefault = 32_768;
    private const int CountMin = 2_000;
    private const int AttemptCountMax = 10_000;
    private const string SystemsOwn = "/proc/sys/net/ipv4/ip_local_port_range";
    private readonly Socket _claim;

    /// <summary>Finds one.</summary>
    /// <exception cref="LoadException">There is none.</exception>
    public ReservedPort()
    {
        int end = End();
        for (int attempt = 0; attempt < AttemptCountMax; attempt++)
        {
            Number = Random.Shared.Next(First, end);
            if (TryBind(SocketType.Dgram, Number) is not { } claim) continue;
            using Socket? listener = TryBind(SocketType.Stream, Number);
            if (listener is not null)
            {
                _claim = claim;
                return;
            }
            claim.Dispose();
        }
        throw new LoadException($"no port from {First} to {end - 1} is free");
    }

    /// <summary>The port.</summary>
    public int Number { get; }

    /// <summary>Lets others have it.</summary>
    public void Dispose() => _claim.Dispose();

    // Where the system's own ports begin, unless they leave too few below them.
    private static int End()
    {
        if (!File.Exists(SystemsOwn)) return EndDefault;
        string first = File.ReadAllText(SystemsOwn).Split('\t', ' ')[0];
        int end = int.Parse(first, CultureInfo.InvariantCulture);
        return end - First < CountMin ? EndDefault : Math.Min(end, EndDefault);
    }

    // Of every address of this machine; one that listens, since that alone tells whether another one does.
    private static Socket? TryBind(SocketType type, int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, type,
            type == SocketType.Dgram ? ProtocolType.Udp : ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Any, port));
            if (type == SocketType.Stream) socket.Listen();
            return socket;
        }
        catch (SocketException taken) when (taken.SocketErrorCode is SocketError.AddressAlreadyInUse
            or SocketError.AccessDenied)
        {
            socket.Dispose();
            return null;
        }
    }
}
