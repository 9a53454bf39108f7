using System;
using System.Security.Cryptography.X509Certificates;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>The certificates of a server: how they are configured, changed and told.</summary>
public sealed class TlsCertificateTests : TlsServerTests
{
    private const string UpdateFailure = "Unable to update TLS configuration. Check server logs.";

    /// <summary>CONFIG SET changes the certificate; one that cannot be used changes nothing.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ConfigSetReplacesTheCertificateOrNothing(string transport)
    {
        string second = Certificates.Make("second", password: "secret phrase");
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string first = SerialShown();
        using TransportPeer early = TransportPeer.ConnectTls(PortNumber);
        string[] change = ["CONFIG", "SET", "tls-cert-file", Certificates.PathOf("second.crt"),
            "tls-key-file", Certificates.PathOf("second.key")];
        Assert.Contains(UpdateFailure, admin.Call(change).Text, StringComparison.Ordinal);
        Assert.Contains(UpdateFailure,
            admin.Call([.. change, "tls-key-file-pass", "wrong"]).Text, StringComparison.Ordinal);
        Assert.Contains(UpdateFailure, admin.Call("CONFIG", "SET", "tls-ca-cert-file", "/none").Text,
            StringComparison.Ordinal);
        Assert.Contains(UpdateFailure, admin.Call("CONFIG", "SET", "tls-protocols", "SSLv3").Text,
            StringComparison.Ordinal);
        Assert.Equal(first, SerialShown());
        Assert.Equal(Certificates.PathOf("server.crt"),
            admin.Call("CONFIG", "GET", "tls-cert-file").Items[1].Text);
        Assert.Equal("OK", admin.Call([.. change, "tls-key-file-pass", "secret phrase"]).Text);
        Assert.Equal(second, SerialShown());
        string info = admin.Call("INFO", "tls").Text;
        Assert.Contains($"tls_server_cert_serial:{second}\r\n", info, StringComparison.Ordinal);
        Assert.Contains("tls_client_cert_serial:none\r\n", info, StringComparison.Ordinal);
        Assert.True(Answers(early));
    }

    /// <summary>A key with a pass phrase serves from the start.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AKeyMayHaveAPassPhraseFromTheStart(string transport)
    {
        string serial = Certificates.Make("locked", password: "secret phrase");
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"),
            ("tls-cert-file", Certificates.PathOf("locked.crt")),
            ("tls-key-file", Certificates.PathOf("locked.key")), ("tls-key-file-pass", "secret phrase"));
        Assert.Equal(serial, SerialShown());
        using TransportPeer peer = TransportPeer.ConnectTls(PortNumber);
        Assert.True(Answers(peer));
    }

    /// <summary>A file that changes is loaded by CONFIG SET of its own name, and by
    /// tls-auto-reload-interval.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ChangedFilesAreLoadedAgain(string transport)
    {
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"));
        using var admin = new RespClient(server.Port);
        string second = Certificates.Make("server");
        Assert.NotEqual(second, SerialShown());
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-cert-file",
            Certificates.PathOf("server.crt")).Text);
        Assert.Equal(second, SerialShown());
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-auto-reload-interval", "1").Text);
        string third = Certificates.Make("server");
        AwaitLog("TLS materials reloaded successfully");
        Assert.Equal(third, SerialShown());
    }

    /// <summary>INFO has the serials of the certificates, and the seconds until they expire.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void InfoTellsTheCertificates(string transport)
    {
        const int DaysLeft = 3;
        const long SecondsADay = 86_400;
        string serverSerial = Certificates.Make("server", DaysLeft);
        string clientSerial = Certificates.Make("client", 2 * DaysLeft);
        using X509Certificate2 authority = X509CertificateLoader.LoadCertificateFromFile(
            Certificates.AuthorityFile);
        using IRunningServer server = Start(transport, ("tls-auth-clients", "no"),
            ("tls-client-cert-file", Certificates.PathOf("client.crt")),
            ("tls-client-key-file", Certificates.PathOf("client.key")));
        using var admin = new RespClient(server.Port);
        string info = admin.Call("INFO", "tls").Text;
        Assert.StartsWith("# TLS\r\n", info, StringComparison.Ordinal);
        foreach ((string which, string serial, DateTime end) in (ReadOnlySpan<(string, string, DateTime)>)
            [("server", serverSerial, DateTime.Now.AddDays(DaysLeft)),
             ("client", clientSerial, DateTime.Now.AddDays(2 * DaysLeft)),
             ("ca", Shown(authority.GetSerialNumberString()), authority.NotAfter)])
        {
            Assert.Contains($"tls_{which}_cert_serial:{serial}\r\n", info, StringComparison.Ordinal);
            long seconds = (long)(end - DateTime.Now).TotalSeconds;
            Assert.InRange(InfoOf(admin, "tls", $"tls_{which}_cert_expires_in_seconds"),
                seconds - SecondsADay, seconds + SecondsADay);
        }

        Certificates.Make("server", daysLeft: -1);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-cert-file",
            Certificates.PathOf("server.crt"), "tls-key-file", Certificates.PathOf("server.key")).Text);
        Assert.Equal(0, InfoOf(admin, "tls", "tls_server_cert_expires_in_seconds"));
    }

    /// <summary>A server whose files cannot be used does not start.</summary>
    [Fact]
    public void AServerWithoutItsCertificateDoesNotStart()
    {
        foreach ((string directive, string value, string reason) in (ReadOnlySpan<(string, string, string)>)
            [("tls-cert-file", "/none", "Failed to load certificate: /none: "),
             ("tls-ca-cert-file", "", "Either tls-ca-cert-file or tls-ca-cert-dir must be specified")])
        {
            using ServerRun run = ProgramServer.Launch("auto", DirectivesOf((directive, value)));
            Assert.Equal(1, run.WaitForEnd());
            Assert.Contains(reason, run.Output, StringComparison.Ordinal);
            Assert.Contains(
                "Failed to configure TLS. Check logs for more info.", run.Output, StringComparison.Ordinal);
        }
    }

    // A number above half of what its bytes can hold has a byte of zeros in front, which is its sign.
    private static string Shown(string serial) =>
        serial.StartsWith("00", StringComparison.Ordinal) ? serial[2..] : serial;
}
