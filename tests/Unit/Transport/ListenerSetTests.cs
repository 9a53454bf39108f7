using System;
using System.Net;
using System.Net.Sockets;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport.Listening;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Which sockets a change of port or bind opens and closes.</summary>
public sealed class ListenerSetTests : IDisposable
{
    /// <summary>An address for documentation, which no machine has.</summary>
    private const string Impossible = "192.0.2.1";

    private readonly ConfigurationRegistry _configuration = new();
    private readonly RecordingDriver _driver = new();
    private readonly ServerEngine _engine;
    private readonly ListenerSet _set;

    public ListenerSetTests()
    {
        _configuration.Override("bind", "127.0.0.1");
        _engine = new ServerEngine(
            new ServerOptions { Configuration = _configuration, Log = new TestLog(), LoopCount = 1 });
        _set = new ListenerSet(_engine, new ListenChoice { IsPortFree = true }, _driver);
        _set.Open();
        _configuration.Override("port", $"{_set.Port}");
    }

    public void Dispose()
    {
        _set.Dispose();
        _engine.Dispose();
        _driver.Dispose();
    }

    [Fact]
    public void AnAddressThatStaysKeepsItsSocket()
    {
        Socket first = Assert.Single(_driver.Sockets);
        Assert.True(Change("127.0.0.1", $"-{Impossible}"));
        Assert.Same(first, Assert.Single(_driver.Sockets));
        Assert.False(Change("127.0.0.1", Impossible));
        Assert.Same(first, Assert.Single(_driver.Sockets));
        Assert.True(Change("127.0.0.1"));
        Assert.Equal(0, _driver.RemovedCount);
        Assert.True(first.IsBound);
    }

    [Fact]
    public void AnOverlappingListenerIsClosedFirstAndRestored()
    {
        Assert.False(Change("*", Impossible));
        Assert.Equal([$"tcp 127.0.0.1:{_set.Port}"], _set.Names);
        Assert.Equal(IPAddress.Loopback, AddressOf(Assert.Single(_driver.Sockets)));
        Assert.True(Change("*"));
        Assert.Equal(IPAddress.Any, AddressOf(Assert.Single(_driver.Sockets)));
        Assert.True(Change("127.0.0.1"));
        Assert.Equal(IPAddress.Loopback, AddressOf(Assert.Single(_driver.Sockets)));
    }

    [Fact]
    public void NoListenerIsClosedForAnUnavailablePort()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        int before = _set.Port;
        _configuration.Override("port", $"{((IPEndPoint)other.LocalEndpoint).Port}");
        Assert.False(_set.TryChange());
        Assert.Equal((0, before), (_driver.RemovedCount, _set.Port));
        _configuration.Override("port", $"{before}");
        Assert.True(_set.TryChange());
        Assert.Equal(0, _driver.RemovedCount);
    }

    [Fact]
    public void AnAddressTakenMeanwhileIsLeftOut()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        var taken = (IPEndPoint)other.LocalEndpoint;
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        var log = new TestLog();
        var change = new ListenerChange(new ListenerOpener(_configuration.Settings), _driver, log,
            [new Listener("127.0.0.1", taken, socket)], isTls: false);
        Assert.False(change.TryOpen(["*"], taken.Port));
        Assert.Empty(change.Undo());
        Assert.Equal(1, _driver.RemovedCount);
        string failure = $"{taken.Port}: bind: Address already in use";
        Assert.Equal(
            [
                "Warning: Could not create server TCP listening socket *:" + failure,
                "Warning: Could not create server TCP listening socket 127.0.0.1:" + failure,
            ],
            log.Lines);
    }

    [Fact]
    public void ADirectiveThatFailsLaterTakesThePortBack()
    {
        _configuration.Subscribe("port", () => _set.TryChange() ? null : "no port");
        _configuration.Subscribe("timeout", () => _configuration.Settings.ClientTimeoutSeconds == 7
            ? "no seven" : null);
        int before = _set.Port;
        using var port = new ReservedPort();
        string? error = _configuration.Set([new("port", $"{port.Number}"), new("timeout", "7")], true);
        Assert.EndsWith("no seven", error, StringComparison.Ordinal);
        Assert.Equal((before, before), (_set.Port, _configuration.Settings.Port));
        Assert.Equal(before, PortOf(Assert.Single(_driver.Sockets)));
    }

    private static IPAddress AddressOf(Socket socket) => ((IPEndPoint)socket.LocalEndPoint!).Address;

    private static int PortOf(Socket socket) => ((IPEndPoint)socket.LocalEndPoint!).Port;

    private bool Change(params string[] bind)
    {
        _configuration.Override("bind", bind);
        return _set.TryChange();
    }
}
