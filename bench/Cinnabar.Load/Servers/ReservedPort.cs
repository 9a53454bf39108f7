// A port for a server that is about to be started. A program that binds any port, reads its number and closes
// it again shares that number with every process that asks the system for a port, clients too, until the
// server listens; a client that connects meanwhile may reach another server. So this port is outside the
// range that the system assigns by itself, and among the processes that reserve ports here it has one owner:
// the one that has bound the same number for datagrams, which no server here uses and which the system takes
// back from a process that ends.
using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;

namespace Cinnabar.Load.Servers;

/// <summary>A TCP port on which no program listens, and that no other process gets, until it is disposed
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

    /// <summary>Releases it.</summary>
    public void Dispose() => _claim.Dispose();

    // Where the system's own ports begin, unless they leave too few below them.
    private static int End()
    {
        if (!File.Exists(SystemsOwn)) return EndDefault;
        string first = File.ReadAllText(SystemsOwn).Split('\t', ' ')[0];
        int end = int.Parse(first, CultureInfo.InvariantCulture);
        return end - First < CountMin ? EndDefault : Math.Min(end, EndDefault);
    }

    // On every address of this machine, and listening: only that shows whether another socket listens.
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
