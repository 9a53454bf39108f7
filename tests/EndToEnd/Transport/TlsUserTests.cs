using System;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Certificates that choose users.</summary>
public sealed class TlsUserTests : TlsServerTests
{
    /// <summary>A certificate's common name or a URI of it logs its client in, where such a user is enabled.
    /// </summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void CertificatesChooseUsers(string transport)
    {
        Certificates.Make("alice", uri: "urn:cinnabar:alice");
        using X509Certificate2 alice = Certificates.Load("alice");
        using IRunningServer server = Start(transport, ("tls-auth-clients", "optional"));
        using var admin = new RespClient(server.Port);
        Assert.Equal("OK", admin.Call("ACL", "SETUSER", "alice", "on", "+acl").Text);
        Assert.Equal("OK", admin.Call("ACL", "SETUSER", "urn:cinnabar:alice", "on", "+acl", "+ping").Text);
        Assert.Equal("default", UserOf(alice));
        Choose(admin, "CN");
        Assert.Equal("alice", UserOf(alice));
        Assert.Equal("default", UserOf(null));
        Choose(admin, "URI");
        Assert.Equal("urn:cinnabar:alice", UserOf(alice));
        Choose(admin, "off");
        Assert.Equal("default", UserOf(alice));
        Assert.Equal(0, InfoOf(admin, "stats", "acl_access_denied_tls_cert"));
    }

    /// <summary>A name of no user, or of one that is off, leaves the default user, with an entry in ACL LOG.
    /// </summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AnUnknownNameIsTheDefaultUser(string transport)
    {
        Certificates.Make("bob");
        using X509Certificate2 bob = Certificates.Load("bob");
        using IRunningServer server = Start(transport);
        using var admin = new RespClient(server.Port);
        Choose(admin, "CN");
        Assert.Equal("default", UserOf(bob));
        Assert.Equal("OK", admin.Call("ACL", "SETUSER", "bob", "off", "+@all").Text);
        Assert.Equal("default", UserOf(bob));
        Assert.Equal(2, InfoOf(admin, "stats", "acl_access_denied_tls_cert"));
        string log = string.Join('\n', Array.ConvertAll(
            [.. admin.Call("ACL", "LOG").Items[0].Items], static item => item.Text));
        Assert.Contains("reason\ntls-cert\ncontext\ntoplevel\nobject\n\nusername\nbob", log,
            StringComparison.Ordinal);
        // Where the default user needs a password, so does this client.
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "requirepass", "secret").Text);
        Assert.StartsWith("NOAUTH", UserOf(bob), StringComparison.Ordinal);
        Assert.Equal("OK", admin.Call("ACL", "SETUSER", "bob", "on").Text);
        Assert.Equal("bob", UserOf(bob));
    }

    /// <summary>With tls-user-requires-cert a password alone logs nobody in.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AUserMayNeedItsCertificate(string transport)
    {
        Certificates.Make("carol");
        Certificates.Make("dave");
        using X509Certificate2 carol = Certificates.Load("carol");
        using X509Certificate2 dave = Certificates.Load("dave");
        using IRunningServer server = Start(transport, ("tls-auth-clients", "optional"));
        using var admin = new RespClient(server.Port);
        foreach (string name in (string[])["carol", "dave"])
            Assert.Equal("OK", admin.Call("ACL", "SETUSER", name, "on", "nopass", "+acl", "+auth").Text);
        Choose(admin, "CN");
        Assert.Equal("carol", UserOf(null, "carol"));
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-user-requires-cert", "yes").Text);
        long denied = InfoOf(admin, "stats", "acl_access_denied_tls_cert");
        Assert.StartsWith("WRONGPASS", UserOf(null, "carol"), StringComparison.Ordinal);
        Assert.StartsWith("WRONGPASS", UserOf(dave, "carol"), StringComparison.Ordinal);
        using (var plain = new RespClient(server.Port))
        {
            Assert.StartsWith("WRONGPASS", plain.Call("AUTH", "carol", "x").Text, StringComparison.Ordinal);
            Assert.StartsWith("WRONGPASS", plain.Call("HELLO", "3", "AUTH", "carol", "x").Text,
                StringComparison.Ordinal);
            Assert.Equal("OK", plain.Call("AUTH", "default", "").Text);
        }

        Assert.Equal(denied + 4, InfoOf(admin, "stats", "acl_access_denied_tls_cert"));
        Assert.Equal("carol", UserOf(carol, "carol"));
        Choose(admin, "off");
        Assert.Equal("carol", UserOf(null, "carol"));
    }

    /// <summary>A client that goes on with an earlier session is the same user: the session has the
    /// certificate.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AResumedSessionHasItsUser(string transport)
    {
        Certificates.Make("erin");
        using X509Certificate2 erin = Certificates.Load("erin");
        using IRunningServer server = Start(transport);
        using var admin = new RespClient(server.Port);
        Assert.Equal("OK", admin.Call("ACL", "SETUSER", "erin", "on", "+acl").Text);
        Choose(admin, "CN");
        string file = Certificates.PathOf("session");
        string[] options =
            ["-cert", Certificates.PathOf("erin.crt"), "-key", Certificates.PathOf("erin.key")];
        Assert.Contains("\nerin\r\n", OpenSslClient.Talk(PortNumber, Certificates, "ACL WHOAMI",
            [.. options, "-sess_out", file]), StringComparison.Ordinal);
        Assert.Equal(0, InfoOf(admin, "tls", "tls_handshakes_resumed"));
        // The client shows no certificate this time: what names the user is in the session.
        Assert.Contains("\nerin\r\n", OpenSslClient.Talk(PortNumber, Certificates, "ACL WHOAMI",
            "-sess_in", file), StringComparison.Ordinal);
        // The framework does not tell.
        Assert.Equal(transport == "framework" ? 0 : 1, InfoOf(admin, "tls", "tls_handshakes_resumed"));
    }

    private static void Choose(RespClient admin, string which) =>
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-auth-clients-user", which).Text);

    private string UserOf(X509Certificate2? certificate, string? login = null)
    {
        using TransportPeer peer = TransportPeer.ConnectTls(PortNumber, certificate: certificate);
        if (login is not null)
        {
            peer.Stream.Write(Encoding.Latin1.GetBytes($"AUTH {login} x\r\n"));
            if (peer.ReadLine() is var reply and not "+OK")
                return reply[1..];
        }

        peer.Stream.Write("ACL WHOAMI\r\n"u8);
        string line = peer.ReadLine();
        return line[0] == '-' ? line[1..] : peer.ReadLine();
    }
}
