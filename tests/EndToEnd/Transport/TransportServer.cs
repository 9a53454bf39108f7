using System;
using System.Collections.Generic;
using System.IO;
using System.Security.Authentication;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.EndToEnd.Embedding;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Cinnabar.Transport.Tls.Framework;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>A server on one of the transports, with TLS or without: the program, but for the framework's TLS
/// (<see cref="EmbeddedServer"/>).</summary>
internal sealed class TransportServer : IDisposable
{
    private readonly IRunningServer _server;
    private readonly ReservedPort? _port;
    private readonly SslProtocols _version;

    /// <summary>Starts it.</summary>
    /// <param name="transport">The transport (<see cref="Launch"/>), and behind a space the version of TLS,
    /// if there is to be TLS.</param>
    /// <param name="certificates">What it has of certificates with TLS.</param>
    public TransportServer(string transport, TestCertificates certificates)
    {
        string[] words = transport.Split(' ');
        List<(string Directive, string Value)> directives =
            [("enable-debug-command", "yes"), ("unixsocket", UnixPath)];
        if (words.Length > 1)
        {
            _port = new ReservedPort();
            _version = words[1] == "tls1.2" ? SslProtocols.Tls12 : SslProtocols.Tls13;
            directives.AddRange(
                [("tls-port", $"{_port.Number}"), ("tls-auth-clients", "no"), .. certificates.Directives]);
        }

        _server = Launch(words[0], null, directives);
        AssertServes(words[0]);
    }

    /// <summary>All transports, without TLS and with each version.</summary>
    public static string[] Transports => OperatingSystem.IsLinux()
        ? ["epoll", "epoll tls1.2", "epoll tls1.3", "io_uring", "io_uring tls1.2", "io_uring tls1.3",
            "portable", "portable tls1.2", "portable tls1.3", "framework tls1.2", "framework tls1.3"]
        : ["portable", "portable tls1.2"];

    /// <summary>Its port without TLS.</summary>
    public int PlainPort => _server.Port;

    /// <summary>Its Unix socket.</summary>
    public string UnixPath { get; } = Path.Combine(Path.GetTempPath(), $"cinnabar-{Guid.NewGuid():N}.sock");

    /// <summary>Starts a server.</summary>
    /// <param name="transport">The transport; <c>framework</c> is the portable one with the framework's
    /// TLS, as other systems have it.</param>
    /// <param name="log">Gets the lines of an embedded server's log.</param>
    /// <param name="directives">Further directives.</param>
    public static IRunningServer Launch(string transport, Action<string>? log,
        IEnumerable<(string Directive, string Value)> directives) => transport == "framework"
            ? new EmbeddedServer("portable", new SslStreamLibrary(), log, directives)
            : new ProgramServer(transport, directives);

    /// <summary>Connects.</summary>
    public TransportPeer Connect() => _port is null
        ? TransportPeer.Connect(_server.Port)
        : TransportPeer.ConnectTls(_port.Number, _version);

    /// <summary>Removes what a test has left.</summary>
    public void Clear()
    {
        using var client = new RespClient(_server.Port);
        Assert.Equal("OK", client.Call("CLIENT", "UNPAUSE").Text);
        Assert.Equal("OK", client.Call("FLUSHALL").Text);
    }

    // A system that forbids io_uring would have epoll tested in its place.
    private void AssertServes(string transport)
    {
        if (transport is not ("io_uring" or "epoll"))
            return;
        using var client = new RespClient(_server.Port);
        Assert.Contains($"multiplexing_api:{transport}\r\n", client.Call("INFO", "server").Text,
            StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        using (_port)
            _server.Dispose();
    }
}
