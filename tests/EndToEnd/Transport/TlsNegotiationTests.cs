using System;
using System.IO;
using System.Net.Sockets;
using System.Security.Authentication;
using Cinnabar.Tests.EndToEnd.Clients;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>What handshakes agree on, by the directives of ciphers, keys, sessions and authorities. OpenSSL's
/// own client says what it got.</summary>
public sealed class TlsNegotiationTests : TlsServerTests
{
    private const string Aes128 = "ECDHE-RSA-AES128-GCM-SHA256";
    private const string Aes256 = "ECDHE-RSA-AES256-GCM-SHA384";

    /// <summary>What is no TLS, or no longer, ends its own connection, in the handshake and after.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void MalformedRecordsEndTheirConnections(string transport)
    {
        const int RoundCount = 300;
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        var random = new Random((int)Seeded.Seed());
        byte[] hello = RecordHello();
        for (int round = 0; round < RoundCount; round++)
        {
            byte[] bytes = round % 3 == 0 ? [.. hello] : new byte[random.Next(1, 2 * hello.Length)];
            if (round % 3 == 0)
                bytes[random.Next(bytes.Length)] ^= (byte)random.Next(1, 256);
            else
                random.NextBytes(bytes);
            // A type of record, so that the rest is looked at.
            bytes[0] = (byte)random.Next(20, 25);
            SslProtocols version = round % 2 == 0 ? SslProtocols.Tls12 : SslProtocols.Tls13;
            using TransportPeer peer = round % 3 == 1
                ? TransportPeer.ConnectTls(PortNumber, version)
                : TransportPeer.Connect(PortNumber);
            peer.Socket.Send(bytes);
            peer.Socket.Shutdown(SocketShutdown.Send);
        }

        Await(() => InfoOf(admin, "clients", "connected_clients") == 1);
        Await(() => InfoOf(admin, "tls", "tls_handshakes_running") == 0);
        Assert.True(IsServed(null));
    }

    /// <summary>A session is resumed, and not where tls-session-caching is off or its time is over.</summary>
    [Theory]
    [InlineData("epoll", "-tls1_2")]
    [InlineData("epoll", "-tls1_3")]
    [InlineData("io_uring", "-tls1_2")]
    [InlineData("io_uring", "-tls1_3")]
    [InlineData("portable", "-tls1_2")]
    [InlineData("portable", "-tls1_3")]
    public void SessionsAreResumed(string transport, string version)
    {
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string file = Certificates.PathOf("session");
        Connect(version, "-sess_out", file);
        Assert.Contains("\nReused, ", Connect(version, "-sess_in", file), StringComparison.Ordinal);
        Assert.Equal((1, 1), CountHandshakes(admin));
        // Tickets cannot be used with TLS 1.2's cache of sessions: OpenSSL keeps those without one there.
        Connect("-tls1_2", "-no_ticket", "-sess_out", file);
        Assert.Contains("\nReused, ", Connect("-tls1_2", "-no_ticket", "-sess_in", file),
            StringComparison.Ordinal);
        Assert.Equal((2, 2), CountHandshakes(admin));
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-session-caching", "no").Text);
        Connect(version, "-sess_out", file);
        if (File.Exists(file))
            Assert.DoesNotContain("\nReused, ", Connect(version, "-sess_in", file), StringComparison.Ordinal);
        Assert.Equal(2, CountHandshakes(admin).Resumed);
        Assert.Equal("OK", admin.Call("CONFIG", "RESETSTAT").Text);
        Assert.Equal((0, 0), CountHandshakes(admin));
    }

    /// <summary>A client's certificate may be of an authority in a directory.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AuthoritiesMayBeInADirectory(string transport)
    {
        string directory = Directory.CreateDirectory(Certificates.PathOf("authorities")).FullName;
        File.Copy(Certificates.AuthorityFile, Path.Combine(directory, "one.pem"));
        ToolRun.Run("openssl", "", "rehash", directory);
        Certificates.Make("client");
        using var client = Certificates.Load("client");
        using IRunningServer server =
            Start(transport, ("tls-ca-cert-file", ""), ("tls-ca-cert-dir", directory));
        Assert.True(IsServed(client));
        Assert.False(IsServed(null));
        using var others = new TestCertificates();
        others.Make("client");
        using var other = others.Load("client");
        Assert.False(IsServed(other));
    }

    /// <summary>Ciphers of TLS 1.2 and suites of TLS 1.3 are those of the directives.</summary>
    [Fact]
    public void CiphersAreThoseOfTheDirectives()
    {
        using IRunningServer server = Start("epoll", ("tls-auth-clients", "no"), ("tls-ciphers", Aes128),
            ("tls-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"));
        using var admin = new RespClient(server.Port);
        AssertCipher(Aes128, "-tls1_2");
        AssertCipher("TLS_CHACHA20_POLY1305_SHA256", "-tls1_3");
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-ciphers", Aes256, "tls-ciphersuites",
            "TLS_AES_128_GCM_SHA256").Text);
        AssertCipher(Aes256, "-tls1_2");
        AssertCipher("TLS_AES_128_GCM_SHA256", "-tls1_3");
        Assert.Contains("Unable to update TLS configuration",
            admin.Call("CONFIG", "SET", "tls-ciphers", "NOSUCH").Text, StringComparison.Ordinal);
        Assert.Contains("Unable to update TLS configuration",
            admin.Call("CONFIG", "SET", "tls-ciphersuites", "NOSUCH").Text, StringComparison.Ordinal);
        AssertCipher(Aes256, "-tls1_2");
    }

    /// <summary>The client's order of ciphers counts, with tls-prefer-server-ciphers the server's.</summary>
    [Fact]
    public void TheOrderOfCiphersIsTheClientsOrTheServers()
    {
        using IRunningServer server =
            Start("epoll", ("tls-auth-clients", "no"), ("tls-ciphers", $"{Aes256}:{Aes128}"));
        using var admin = new RespClient(server.Port);
        AssertCipher(Aes128, "-tls1_2", "-cipher", $"{Aes128}:{Aes256}");
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-prefer-server-ciphers", "yes").Text);
        AssertCipher(Aes256, "-tls1_2", "-cipher", $"{Aes128}:{Aes256}");
    }

    /// <summary>The parameters of Diffie-Hellman are the file's.</summary>
    [Fact]
    public void ParametersOfDiffieHellmanAreTheFiles()
    {
        string file = Certificates.PathOf("dh.pem");
        ToolRun.Run("openssl", "", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe3072",
            "-out", file);
        using IRunningServer server = Start("epoll", ("tls-auth-clients", "no"),
            ("tls-ciphers", "DHE-RSA-AES128-GCM-SHA256"), ("tls-dh-params-file", file));
        using var admin = new RespClient(server.Port);
        Assert.Contains("Server Temp Key: DH, 3072 bits", Connect("-tls1_2"), StringComparison.Ordinal);
        File.WriteAllText(file, "no parameters");
        Assert.Contains("Unable to update TLS configuration",
            admin.Call("CONFIG", "SET", "tls-dh-params-file", file).Text, StringComparison.Ordinal);
        AwaitLog("Failed to load DH params file: ");
        Assert.Contains("Server Temp Key: DH, 3072 bits", Connect("-tls1_2"), StringComparison.Ordinal);
    }

    private static (long Full, long Resumed) CountHandshakes(RespClient admin) =>
        (InfoOf(admin, "tls", "tls_handshakes_full"), InfoOf(admin, "tls", "tls_handshakes_resumed"));

    private string Connect(params string[] options)
    {
        string said = OpenSslClient.Connect(PortNumber, Certificates, options);
        Assert.Contains("+PONG", said, StringComparison.Ordinal);
        return said;
    }

    private void AssertCipher(string cipher, params string[] options) => Assert.Contains(
        $"Cipher is {cipher}\n", Connect(options), StringComparison.Ordinal);
}
