using System;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.EndToEnd.Embedding;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Transport.Listening;
using Cinnabar.Transport.Tls.Framework;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>
/// TLS of servers in this process, for what the program cannot show (<see cref="EmbeddedServer"/>): two of
/// them side by side, and what the framework's TLS, which Windows and macOS have, can do of the directives.
/// </summary>
public sealed class EmbeddedTlsTests : TlsServerTests
{
    /// <summary>A directive that cannot be honoured is refused, and is no matter at its default.</summary>
    [Fact]
    public void WhatCannotBeHonouredIsRefused()
    {
        foreach ((string directive, string value) in (ReadOnlySpan<(string, string)>)
            [("tls-dh-params-file", Certificates.AuthorityFile), ("tls-prefer-server-ciphers", "yes"),
             ("tls-session-cache-size", "5"), ("tls-session-cache-timeout", "5"),
             ("tls-ciphers", "HIGH:!aNULL"), ("tls-ciphersuites", "TLS_NO_SUCH")])
        {
            Assert.Throws<ListenerFailedException>(
                () => StartEmbedded(new SslStreamLibrary(), (directive, value)));
            AwaitLog(directive["tls-".Length..]);
        }

        using EmbeddedServer server = StartEmbedded(new SslStreamLibrary(), ("tls-auth-clients", "no"),
            ("tls-prefer-server-ciphers", "no"), ("tls-session-cache-size", "20480"));
        Assert.True(IsServed(null));
    }

    /// <summary>Ciphers of TLS 1.2 and suites of TLS 1.3 may be named.</summary>
    [Fact]
    public void CiphersAreThoseOfTheDirectives()
    {
        const string Cipher = "ECDHE-RSA-AES128-GCM-SHA256";
        const string Suite = "TLS_CHACHA20_POLY1305_SHA256";
        using EmbeddedServer server = StartEmbedded(
            new SslStreamLibrary(), ("tls-auth-clients", "no"), ("tls-ciphers", Cipher));
        using var admin = new RespClient(server.Port);
        Assert.Contains($"Cipher is {Cipher}\n",
            OpenSslClient.Connect(PortNumber, Certificates, "-tls1_2"), StringComparison.Ordinal);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-ciphersuites", Suite).Text);
        Assert.Contains($"Cipher is {Suite}\n",
            OpenSslClient.Connect(PortNumber, Certificates, "-tls1_3"), StringComparison.Ordinal);
        Assert.Contains($"Cipher is {Cipher}\n",
            OpenSslClient.Connect(PortNumber, Certificates, "-tls1_2"), StringComparison.Ordinal);
    }

    /// <summary>Two servers in one process have TLS of their own.</summary>
    [Fact]
    public void TwoServersHaveTheirOwnCertificates()
    {
        string other = Certificates.Make("other");
        using var otherPort = new ReservedPort();
        using EmbeddedServer first = StartEmbedded(tls: null, ("tls-auth-clients", "no"));
        using (StartEmbedded(tls: null, ("tls-auth-clients", "no"), ("tls-port", $"{otherPort.Number}"),
            ("tls-cert-file", Certificates.PathOf("other.crt")),
            ("tls-key-file", Certificates.PathOf("other.key"))))
        {
            Assert.Equal(other, SerialShown(otherPort.Number));
            Assert.NotEqual(other, SerialShown());
        }

        Assert.True(IsServed(null));
    }
}
