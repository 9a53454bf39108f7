using System;
using System.Collections.Generic;
using System.Security.Authentication;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Cinnabar.Transport.Tls;
using Cinnabar.Transport.Tls.Framework;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>A server in this process, on one of the transports.</summary>
internal sealed class TransportServer : IDisposable
{
    private readonly CinnabarServer _server;
    private readonly TestCertificates? _certificates;
    private readonly ReservedPort? _port;
    private readonly SslProtocols _version;

    /// <summary>Starts it.</summary>
    /// <param name="transport">The transport (<see cref="NameOf"/>), and behind a space the version of
    /// TLS, if there is to be TLS.</param>
    /// <param name="others">Further directives.</param>
    public TransportServer(string transport, params ReadOnlySpan<KeyValuePair<string, string>> others)
    {
        string[] words = transport.Split(' ');
        List<KeyValuePair<string, string>> directives = [new("transport", NameOf(words[0])), .. others];
        if (words.Length > 1)
        {
            _certificates = new TestCertificates();
            _port = new ReservedPort();
            _version = words[1] == "tls1.2" ? SslProtocols.Tls12 : SslProtocols.Tls13;
            directives.AddRange([new("tls-port", $"{_port.Number}"), new("tls-auth-clients", "no")]);
            foreach ((string directive, string value) in _certificates.Directives)
                directives.Add(new(directive, value));
        }

        _server = CinnabarServer.Start(new CinnabarServerOptions
        {
            Port = 0,
            LoopCount = 2,
            IsMemoryChecked = true,
            Directives = directives,
            TlsLibrary = LibraryOf(words[0]),
        });
        AssertServes(words[0]);
    }

    /// <summary>All transports, without TLS and with each version.</summary>
    public static string[] Transports => OperatingSystem.IsLinux()
        ? ["epoll", "epoll tls1.2", "epoll tls1.3", "io_uring", "io_uring tls1.2", "io_uring tls1.3",
            "portable", "portable tls1.2", "portable tls1.3", "framework tls1.2", "framework tls1.3"]
        : ["portable", "portable tls1.2"];

    /// <summary>Its port without TLS.</summary>
    public int PlainPort => _server.Port;

    /// <summary>The transport of a test: <c>framework</c> is the portable one as other systems have
    /// it.</summary>
    public static string NameOf(string transport) => transport == "framework" ? "portable" : transport;

    /// <summary>What does its TLS; null: what does it on this system.</summary>
    public static ITlsLibrary? LibraryOf(string transport) =>
        transport == "framework" ? new SslStreamLibrary() : null;

    /// <summary>Connects.</summary>
    public TransportPeer Connect() => _port is null
        ? TransportPeer.Connect(_server.Port)
        : TransportPeer.ConnectTls(_port.Number, _version);

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
        _server.Dispose();
        _port?.Dispose();
        _certificates?.Dispose();
    }
}
