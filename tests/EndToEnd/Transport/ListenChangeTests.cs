using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>CONFIG SET of port and bind of the program, over real sockets, on every transport.</summary>
public sealed class ListenChangeTests : IDisposable
{
    private const string PortFailure = "ERR CONFIG SET failed (possibly related to argument 'port') - "
        + "Unable to listen on this port. Check server logs.";

    private const string BindFailure = "ERR CONFIG SET failed (possibly related to argument 'bind') - "
        + "Failed to bind to specified addresses.";

    /// <summary>An address for documentation, which no machine has.</summary>
    private const string Impossible = "192.0.2.1";

    // A test asserts that no server listens on a port it has left: so no other process may.
    private readonly List<ReservedPort> _ports = [];
    private int _firstPort;
    private int _port;

    /// <summary>The transports.</summary>
    public static TheoryData<string> Transports =>
        OperatingSystem.IsLinux() ? ["epoll", "io_uring", "portable"] : ["portable"];

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (ReservedPort port in _ports)
            port.Dispose();
    }

    /// <summary>Connected clients stay, whichever loop they are on; the old port accepts no others.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ThePortChangesUnderItsClients(string transport)
    {
        const int ChangeCount = 6;
        using ProgramServer server = Start(transport);
        using var first = new RespClient(_port);
        using var second = new RespClient(_port);
        for (int change = 0; change < ChangeCount; change++)
        {
            RespClient client = change % 2 == 0 ? first : second;
            int before = _port;
            int after = ChangePort(client);
            AssertRefused(IPAddress.Loopback, before);
            AssertServes(after);
            Assert.Equal("PONG", first.Call("PING").Text);
            Assert.Equal("PONG", second.Call("PING").Text);
            Assert.Equal($"{after}", first.Call("CONFIG", "GET", "port").Items[1].Text);
            string info = first.Call("INFO", "server").Text;
            Assert.Contains($"tcp_port:{after}\r\n", info, StringComparison.Ordinal);
            Assert.Contains($",port={after}\r\n", info, StringComparison.Ordinal);
            Assert.NotEmpty(Listeners());
            Assert.All(Listeners(), name => Assert.EndsWith($":{after}", name, StringComparison.Ordinal));
        }
    }

    /// <summary>A port that another has leaves everything as it was, other directives too.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AnOccupiedPortChangesNothing(string transport)
    {
        using ProgramServer server = Start(transport);
        using var client = new RespClient(_port);
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        string taken = $"{((IPEndPoint)other.LocalEndpoint).Port}";
        Assert.Equal(PortFailure, client.Call("CONFIG", "SET", "port", taken).Text);
        Assert.Equal(PortFailure,
            client.Call("CONFIG", "SET", "maxclients", "77", "port", taken, "timeout", "500").Text);
        Assert.Equal(BindFailure,
            client.Call("CONFIG", "SET", "bind", "127.0.0.1", "timeout", "500", "port", taken).Text);
        AssertConfiguration(client, ("timeout", "0"), ("maxclients", "10000"), ("port", $"{_port}"),
            ("bind", "127.0.0.1 -::1"));
        AssertServes(_port);
        ChangePort(client);
        AssertServes(_port);
    }

    /// <summary>Sets of addresses that overlap follow each other; one that cannot be had changes
    /// nothing, also where an old one had to make way first.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AddressesThatOverlapFollowEachOther(string transport)
    {
        using ProgramServer server = Start(transport);
        using var client = new RespClient(_port);
        string[] texts = ["*", "127.0.0.1", $"127.0.0.1 -{Impossible}", "* -::*", "127.0.0.1 -::1", "*"];
        foreach (string text in texts)
        {
            Assert.Equal("OK", client.Call("CONFIG", "SET", "bind", text).Text);
            AssertConfiguration(client, ("bind", text));
            AssertServes(_port);
            Assert.Equal(BindFailure, client.Call("CONFIG", "SET", "bind", Impossible).Text);
            Assert.Equal(BindFailure, client.Call("CONFIG", "SET", "bind", $"127.0.0.1 {Impossible}").Text);
            Assert.Equal(BindFailure, client.Call("CONFIG", "SET", "bind", $"* {Impossible}").Text);
            Assert.Equal(BindFailure, client.Call("CONFIG", "SET", "bind", "127.0.0.1 127.0.0.1").Text);
            AssertConfiguration(client, ("bind", text));
            AssertServes(_port);
        }
    }

    /// <summary>Other addresses and another port at once; the old ones are left.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AddressesAreLeft(string transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux has all of 127.0.0.0/8");
        using ProgramServer server = Start(transport);
        using var client = new RespClient(_port);
        int before = _port;
        Assert.Equal("OK", client.Call("CONFIG", "SET", "bind", "127.0.0.2").Text);
        Assert.Equal([$"127.0.0.2:{before}"], Listeners());
        AssertRefused(IPAddress.Loopback, before);
        string both = $"{FreePort()}";
        Assert.Equal(PortFailure, client.Call("CONFIG", "SET", "port", both, "bind", Impossible).Text);
        Assert.Equal(BindFailure, client.Call("CONFIG", "SET", "bind", Impossible, "port", both).Text);
        Assert.Equal([$"127.0.0.2:{before}"], Listeners());
        AssertRefused(IPAddress.Loopback, before);
        Connect(IPAddress.Parse("127.0.0.2"), before).Dispose();
        ChangePort(client, "bind", "127.0.0.1");
        AssertServes(_port);
        AssertRefused(IPAddress.Parse("127.0.0.2"), before);
    }

    /// <summary>Port 0 is none; a connected client can open one again.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void TheServerMayListenNowhere(string transport)
    {
        using ProgramServer server = Start(transport);
        using var client = new RespClient(_port);
        int before = _port;
        Assert.Equal("OK", client.Call("CONFIG", "SET", "port", "0").Text);
        Assert.Empty(Listeners());
        AssertConfiguration(client, ("port", "0"));
        AssertRefused(IPAddress.Loopback, before);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "bind", Impossible).Text);
        Assert.Equal(PortFailure, client.Call("CONFIG", "SET", "port", $"{before}").Text);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "bind", $"127.0.0.1 -{Impossible}").Text);
        ChangePort(client);
        AssertServes(_port);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "bind", "").Text);
        Assert.Empty(Listeners());
    }

    /// <summary>Clients that keep connecting and leaving find either port, and the loops survive.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public async Task ChangesAmongComingsAndGoings(string transport)
    {
        const int ChangeCount = 20;
        using ProgramServer server = Start(transport);
        using var client = new RespClient(_port);
        bool isOver = false;
        Task visits = Task.Run(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                try
                {
                    Connect(IPAddress.Loopback, Volatile.Read(ref _port)).Dispose();
                }
                catch (SocketException refusal)
                    when (refusal.SocketErrorCode is SocketError.ConnectionRefused
                        or SocketError.ConnectionReset)
                {
                    // The port was another's, or on its way out.
                }
            }
        });
        for (int change = 0; change < ChangeCount; change++)
            ChangePort(client);
        Volatile.Write(ref isOver, true);
        await visits;
        AssertServes(_port);
    }

    private ProgramServer Start(string transport)
    {
        var server = new ProgramServer(transport);
        _port = _firstPort = server.Port;
        return server;
    }

    /// <summary>Changes to a port that was never used before.</summary>
    private int ChangePort(RespClient client, params string[] more)
    {
        int port = FreePort();
        string text = client.Call(
            ["CONFIG", "SET", "port", port.ToString(CultureInfo.InvariantCulture), .. more]).Text;
        Assert.Equal("OK", text);
        AssertConfiguration(client, ("port", $"{port}"));
        Volatile.Write(ref _port, port);
        return port;
    }

    /// <summary>Where the server listens, as the system says: all these ports are the server's
    /// alone.</summary>
    private string[] Listeners() =>
    [
        .. IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpListeners()
            .Where(end => end.Port == _firstPort || _ports.Exists(port => port.Number == end.Port))
            .Select(static end => $"{end}").Distinct(),
    ];

    private int FreePort()
    {
        _ports.Add(new ReservedPort());
        return _ports[^1].Number;
    }

    private static Socket Connect(IPAddress address, int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(address, port);
        return socket;
    }

    private static void AssertRefused(IPAddress address, int port)
    {
        SocketException refusal = Assert.Throws<SocketException>(() => Connect(address, port).Dispose());
        Assert.Equal(SocketError.ConnectionRefused, refusal.SocketErrorCode);
    }

    private static void AssertServes(int port)
    {
        using var client = new RespClient(port);
        Assert.Equal("PONG", client.Call("PING").Text);
    }

    private static void AssertConfiguration(RespClient client, params (string Name, string Value)[] expected)
    {
        foreach ((string name, string value) in expected)
            Assert.Equal(value, client.Call("CONFIG", "GET", name).Items[1].Text);
    }
}
