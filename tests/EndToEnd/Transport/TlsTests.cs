using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Which clients a TLS port serves, and how its configuration changes.</summary>
public sealed class TlsTests : IDisposable
{
    private const int TimeoutMs = 300_000;

    private const string UpdateFailure = "Unable to update TLS configuration. Check server logs.";

    private readonly TestCertificates _certificates = new();
    private readonly ReservedPort _port = new();
    private readonly List<string> _log = [];

    /// <summary>The transports.</summary>
    public static TheoryData<string> Transports =>
        OperatingSystem.IsLinux() ? ["epoll", "portable"] : ["portable"];

    /// <inheritdoc/>
    public void Dispose()
    {
        _port.Dispose();
        _certificates.Dispose();
    }

    /// <summary>Clients are served whose certificates are valid, and by `no` and `optional` those without.
    /// </summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ClientsNeedTheCertificatesThatAreDemanded(string transport)
    {
        _certificates.Make("client");
        _certificates.Make("expired", daysLeft: -1);
        using var others = new TestCertificates();
        others.Make("client");
        using X509Certificate2 client = _certificates.Load("client");
        using X509Certificate2 expired = _certificates.Load("expired");
        using X509Certificate2 other = others.Load("client");
        using CinnabarServer server = Start(transport);
        using var admin = new RespClient(server.Port);
        foreach ((string demand, bool isAskedFor, bool isNeeded) in (ReadOnlySpan<(string, bool, bool)>)
            [("yes", true, true), ("optional", true, false), ("no", false, false), ("yes", true, true)])
        {
            Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-auth-clients", demand).Text);
            Assert.Equal(!isNeeded, IsServed(null));
            Assert.True(IsServed(client));
            Assert.Equal(!isAskedFor, IsServed(expired));
            Assert.Equal(!isAskedFor, IsServed(other));
        }

        AwaitLog("Error accepting a client connection: ");
        Assert.Equal("PONG", admin.Call("PING").Text);
    }

    /// <summary>Plain bytes at the TLS port, and TLS at the plain port, end that connection only.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AClientAtTheWrongPortIsTurnedAway(string transport)
    {
        using CinnabarServer server = Start(transport, ("tls-auth-clients", "no"));
        using (TransportPeer plain = TransportPeer.Connect(_port.Number))
        {
            plain.Stream.Write("PING\r\n"u8);
            var reply = new byte[64];
            Assert.DoesNotContain("PONG", Encoding.Latin1.GetString(reply, 0, ReadAll(plain.Stream, reply)),
                StringComparison.Ordinal);
        }

        Exception? refusal = Record.Exception(() => TransportPeer.ConnectTls(server.Port));
        Assert.True(refusal is IOException or AuthenticationException, refusal?.ToString());
        Assert.True(IsServed(null));
        using var admin = new RespClient(server.Port);
        Assert.Equal("PONG", admin.Call("PING").Text);
    }

    /// <summary>Handshakes that stop in the middle disturb nobody else.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void HandshakesThatNeverEndDisturbNoOther(string transport)
    {
        const int HalfCount = 500;
        using CinnabarServer server = Start(transport, ("tls-auth-clients", "no"), ("maxclients", "600"));
        byte[] hello = RecordHello();
        var halves = new List<TransportPeer>();
        for (int index = 0; index < HalfCount; index++)
        {
            TransportPeer half = TransportPeer.Connect(_port.Number);
            half.Stream.Write(hello.AsSpan(0, index % hello.Length));
            halves.Add(half);
        }

        Assert.True(IsServed(null));
        using var admin = new RespClient(server.Port);
        Assert.Contains(
            "connected_clients:1\r\n", admin.Call("INFO", "clients").Text, StringComparison.Ordinal);
        foreach (TransportPeer half in halves)
            half.Dispose();
        Assert.True(IsServed(null));
    }

    /// <summary>A handshake that does not end is ended, and says so in the log.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AHandshakeHasALimitOfTime(string transport)
    {
        using CinnabarServer server = Start(transport, ("tls-auth-clients", "no"));
        using TransportPeer half = TransportPeer.Connect(_port.Number);
        half.Stream.Write(RecordHello().AsSpan(0, 20));
        Assert.Equal(-1, half.Stream.ReadByte());
        AwaitLog("Error accepting a client connection: handshake timeout");
    }

    /// <summary>CONFIG SET changes the certificate; one that cannot be used changes nothing.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ConfigSetReplacesTheCertificateOrNothing(string transport)
    {
        string second = _certificates.Make("second", password: "secret phrase");
        using CinnabarServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string first = SerialShown();
        using TransportPeer early = TransportPeer.ConnectTls(_port.Number);
        string[] change = ["CONFIG", "SET", "tls-cert-file", _certificates.PathOf("second.crt"),
            "tls-key-file", _certificates.PathOf("second.key")];
        Assert.Contains(UpdateFailure, admin.Call(change).Text, StringComparison.Ordinal);
        Assert.Contains(UpdateFailure,
            admin.Call([.. change, "tls-key-file-pass", "wrong"]).Text, StringComparison.Ordinal);
        Assert.Contains(UpdateFailure, admin.Call("CONFIG", "SET", "tls-ca-cert-file", "/none").Text,
            StringComparison.Ordinal);
        Assert.Contains(UpdateFailure, admin.Call("CONFIG", "SET", "tls-protocols", "SSLv3").Text,
            StringComparison.Ordinal);
        Assert.Equal(first, SerialShown());
        Assert.Equal(_certificates.PathOf("server.crt"),
            admin.Call("CONFIG", "GET", "tls-cert-file").Items[1].Text);
        Assert.Equal("OK", admin.Call([.. change, "tls-key-file-pass", "secret phrase"]).Text);
        Assert.Equal(second, SerialShown());
        string info = admin.Call("INFO", "tls").Text;
        Assert.Contains($"tls_server_cert_serial:{second}\r\n", info, StringComparison.Ordinal);
        Assert.Contains("tls_client_cert_serial:none\r\n", info, StringComparison.Ordinal);
        Assert.True(Answers(early));
    }

    /// <summary>A file that changes is loaded by CONFIG SET of its own name, and by
    /// tls-auto-reload-interval.</summary>
    [Fact]
    public void ChangedFilesAreLoadedAgain()
    {
        using CinnabarServer server = Start("epoll", ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string second = _certificates.Make("server");
        Assert.NotEqual(second, SerialShown());
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-cert-file",
            _certificates.PathOf("server.crt")).Text);
        Assert.Equal(second, SerialShown());
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-auto-reload-interval", "1").Text);
        string third = _certificates.Make("server");
        AwaitLog("TLS materials reloaded successfully");
        Assert.Equal(third, SerialShown());
    }

    /// <summary>The versions of tls-protocols are spoken, and no others.</summary>
    [Fact]
    public void OnlyTheConfiguredVersionsAreSpoken()
    {
        using CinnabarServer server = Start("epoll", ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        foreach ((string versions, bool has12, bool has13) in (ReadOnlySpan<(string, bool, bool)>)
            [("", true, true), ("TLSv1.2", true, false), ("TLSv1.3", false, true),
             ("TLSv1.2 TLSv1.3", true, true)])
        {
            Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-protocols", versions).Text);
            Assert.Equal(has12, IsServed(null, SslProtocols.Tls12));
            Assert.Equal(has13, IsServed(null, SslProtocols.Tls13));
        }
    }

    /// <summary>A port changes from plain to TLS and back.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void APortBecomesOneWithTls(string transport)
    {
        using CinnabarServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string number = $"{_port.Number}";
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-port", "0").Text);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "port", number).Text);
        using (var plain = new RespClient(_port.Number))
            Assert.Equal("PONG", plain.Call("PING").Text);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "port", "0").Text);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-port", number).Text);
        Assert.True(IsServed(null));
        Assert.Contains($"name=tls,bind=127.0.0.1,bind=-::1,port={number}\r\n",
            admin.Call("INFO", "server").Text, StringComparison.Ordinal);
    }

    /// <summary>A server whose files cannot be used does not start.</summary>
    [Fact]
    public void AServerWithoutItsCertificateDoesNotStart()
    {
        Exception? fault = Record.Exception(() => Start("epoll", ("tls-cert-file", "/none")));
        Assert.Equal("Failed to configure TLS. Check logs for more info.", fault?.Message);
        AwaitLog("Failed to load certificate: /none: ");
        Record.Exception(() => Start("epoll", ("tls-ca-cert-file", "")));
        AwaitLog("Either tls-ca-cert-file or tls-ca-cert-dir must be specified");
    }

    /// <summary>Two servers in one process have TLS of their own.</summary>
    [Fact]
    public void TwoServersHaveTheirOwnCertificates()
    {
        string other = _certificates.Make("other");
        using var otherPort = new ReservedPort();
        using CinnabarServer first = Start("epoll", ("tls-auth-clients", "no"));
        using (Start("epoll", ("tls-auth-clients", "no"), ("tls-port", $"{otherPort.Number}"),
            ("tls-cert-file", _certificates.PathOf("other.crt")),
            ("tls-key-file", _certificates.PathOf("other.key"))))
        {
            Assert.Equal(other, SerialShown(otherPort.Number));
            Assert.NotEqual(other, SerialShown());
        }

        Assert.True(IsServed(null));
    }

    private static int ReadAll(Stream stream, byte[] place)
    {
        int total = 0;
        try
        {
            for (int count; (count = stream.Read(place, total, place.Length - total)) > 0;)
                total += count;
        }
        catch (IOException)
        {
            // The server may reset the connection behind its alert.
        }

        return total;
    }

    private static bool Answers(TransportPeer peer)
    {
        peer.Stream.Write("PING\r\n"u8);
        var reply = new byte["+PONG\r\n"u8.Length];
        peer.Stream.ReadExactly(reply);
        return "+PONG\r\n"u8.SequenceEqual(reply);
    }

    /// <summary>The first message of a client, as it comes over the wire.</summary>
    private static byte[] RecordHello()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        client.Connect((System.Net.IPEndPoint)listener.LocalEndpoint);
        using TcpClient server = listener.AcceptTcpClient();
        using var tls = new SslStream(client.GetStream());
        _ = tls.AuthenticateAsClientAsync("localhost");
        var hello = new byte[4096];
        int length = server.GetStream().Read(hello);
        return hello[..length];
    }

    private bool IsServed(X509Certificate2? certificate, SslProtocols version = SslProtocols.None)
    {
        try
        {
            using TransportPeer peer = TransportPeer.ConnectTls(_port.Number, version, certificate);
            return Answers(peer);
        }
        catch (Exception fault) when (fault is IOException or AuthenticationException)
        {
            return false;
        }
    }

    private string SerialShown(int port = 0)
    {
        using TransportPeer peer = TransportPeer.ConnectTls(port > 0 ? port : _port.Number);
        return ((SslStream)peer.Stream).RemoteCertificate!.GetSerialNumberString();
    }

    private void AwaitLog(string text)
    {
        for (long endMs = Environment.TickCount64 + TimeoutMs; ; Thread.Sleep(10))
        {
            lock (_log)
            {
                if (_log.Exists(line => line.Contains(text, StringComparison.Ordinal)))
                    return;
                Assert.True(Environment.TickCount64 < endMs, string.Join('\n', _log));
            }
        }
    }

    private CinnabarServer Start(string transport, params (string Directive, string Value)[] directives)
    {
        List<KeyValuePair<string, string>> all =
            [new("transport", transport), new("tls-port", $"{_port.Number}")];
        foreach ((string directive, string value) in
            ((string Directive, string Value)[])[.. _certificates.Directives, .. directives])
        {
            all.RemoveAll(pair => pair.Key == directive);
            if (value.Length > 0)
                all.Add(new(directive, value));
        }

        return CinnabarServer.Start(new CinnabarServerOptions
        {
            Port = 0,
            LoopCount = 2,
            IsMemoryChecked = true,
            Directives = all,
            Log = line =>
            {
                lock (_log)
                    _log.Add(line);
            },
        });
    }
}
