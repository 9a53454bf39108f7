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
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Which clients a TLS port serves, and how its configuration changes.</summary>
public sealed class TlsTests : TlsServerTests
{
    /// <summary>Clients are served whose certificates are valid, and by `no` and `optional` those without.
    /// </summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ClientsNeedTheCertificatesThatAreDemanded(string transport)
    {
        Certificates.Make("client");
        Certificates.Make("expired", daysLeft: -1);
        using var others = new TestCertificates();
        others.Make("client");
        using X509Certificate2 client = Certificates.Load("client");
        using X509Certificate2 expired = Certificates.Load("expired");
        using X509Certificate2 other = others.Load("client");
        using IRunningServer server = Start(transport);
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
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using (TransportPeer plain = TransportPeer.Connect(PortNumber))
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
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"), ("maxclients", "600"));
        byte[] hello = RecordHello();
        var halves = new List<TransportPeer>();
        for (int index = 0; index < HalfCount; index++)
        {
            TransportPeer half = TransportPeer.Connect(PortNumber);
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

    /// <summary>Ten thousand connections that never finish a handshake: there are at most maxclients of them
    /// at a time, new clients are served meanwhile, and afterwards nothing is left of them.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void TenThousandUnfinishedHandshakesAreBounded(string transport)
    {
        const int HalfCount = 10_000;
        const int CountMax = 1000;
        using IRunningServer server =
            Start(transport, ("tls-auth-clients", "no"), ("maxclients", $"{CountMax}"));
        using var admin = new RespClient(server.Port);
        Assert.True(IsServed(null));
        int descriptors = CountDescriptors(server);
        byte[] hello = RecordHello();
        var halves = new List<TransportPeer>();
        for (int index = 0; index < HalfCount; index++)
        {
            TransportPeer half = TransportPeer.Connect(PortNumber);
            halves.Add(half);
            TryWrite(half, hello.AsSpan(0, index % hello.Length));
            if (index % 1000 != 0)
                continue;
            Assert.True(IsServed(null));
            Assert.Equal("PONG", admin.Call("PING").Text);
            Await(() => InfoOf(admin, "tls", "tls_handshakes_running") <= CountMax);
        }

        foreach (TransportPeer half in halves)
            half.Dispose();
        Await(() => InfoOf(admin, "tls", "tls_handshakes_failed") == HalfCount);
        Await(() => InfoOf(admin, "tls", "tls_handshakes_running") == 0);
        Assert.True(IsServed(null));
        Await(() => CountDescriptors(server) <= descriptors + 16);
    }

    /// <summary>The end of input within a record, which comes together with the last bytes, ends the
    /// connection.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void APeerThatEndsWithinARecordVanishes(string transport)
    {
        const int PeerCount = 200;
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        for (int count = 0; count < PeerCount; count++)
        {
            using TransportPeer peer = TransportPeer.ConnectTls(PortNumber);
            Assert.True(Answers(peer));
            // Type, version and length of a record, and its first bytes.
            peer.Socket.Send([23, 3, 3, 1, 0, 1, 2, 3]);
            peer.Socket.Shutdown(SocketShutdown.Send);
            Await(() => InfoOf(admin, "clients", "connected_clients") == 1);
        }
    }

    /// <summary>A handshake that does not end is ended, and says so in the log.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AHandshakeHasALimitOfTime(string transport)
    {
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using TransportPeer half = TransportPeer.Connect(PortNumber);
        half.Stream.Write(RecordHello().AsSpan(0, 20));
        Assert.Equal(-1, half.Stream.ReadByte());
        AwaitLog("Error accepting a client connection: handshake timeout");
    }

    /// <summary>The versions of tls-protocols are spoken, and no others.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void OnlyTheConfiguredVersionsAreSpoken(string transport)
    {
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
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
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string number = $"{PortNumber}";
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-port", "0").Text);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "port", number).Text);
        using (var plain = new RespClient(PortNumber))
            Assert.Equal("PONG", plain.Call("PING").Text);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "port", "0").Text);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-port", number).Text);
        Assert.True(IsServed(null));
        Assert.Contains($"name=tls,bind=127.0.0.1,bind=-::1,port={number}\r\n",
            admin.Call("INFO", "server").Text, StringComparison.Ordinal);
    }

    /// <summary>A server may end while handshakes end.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AServerEndsWhileClientsConnect(string transport)
    {
        const int RoundCount = 8;
        const int ClientCount = 8;
        for (int round = 0; round < RoundCount; round++)
        {
            using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
            var clients = new Thread[ClientCount];
            using var begun = new CountdownEvent(ClientCount);
            for (int index = 0; index < ClientCount; index++)
            {
                clients[index] = new Thread(() =>
                {
                    begun.Signal();
                    while (Record.Exception(() => IsServed(null)) is not SocketException)
                    {
                        // The server still listens.
                    }
                });
                clients[index].Start();
            }

            begun.Wait(TestContext.Current.CancellationToken);
            Thread.Sleep(round * 5);
            server.Dispose();
            foreach (Thread client in clients)
                client.Join();
        }
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

    // The server may have closed it already: it was the oldest of too many.
    private static void TryWrite(TransportPeer peer, ReadOnlySpan<byte> bytes)
    {
        try
        {
            peer.Stream.Write(bytes);
        }
        catch (IOException)
        {
            // It counts as one that never finishes.
        }
    }

    // A process that has the clients too has closed them by then.
    private static int CountDescriptors(IRunningServer server) =>
        OperatingSystem.IsLinux() ? Directory.GetFiles($"/proc/{server.ProcessId}/fd").Length : 0;
}
