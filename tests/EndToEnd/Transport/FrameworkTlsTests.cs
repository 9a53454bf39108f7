using System;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Transport.Listening;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>What the framework's TLS, which Windows and macOS have, can do of the directives.</summary>
public sealed class FrameworkTlsTests : TlsServerTests
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
            Assert.Throws<ListenerFailedException>(() => Start("framework", (directive, value)));
            AwaitLog(directive["tls-".Length..]);
        }

        using CinnabarServer server = Start("framework", ("tls-auth-clients", "no"),
            ("tls-prefer-server-ciphers", "no"), ("tls-session-cache-size", "20480"));
        Assert.True(IsServed(null));
    }

    /// <summary>Ciphers of TLS 1.2 and suites of TLS 1.3 may be named.</summary>
    [Fact]
    public void CiphersAreThoseOfTheDirectives()
    {
        const string Cipher = "ECDHE-RSA-AES128-GCM-SHA256";
        const string Suite = "TLS_CHACHA20_POLY1305_SHA256";
        using CinnabarServer server = Start("framework", ("tls-auth-clients", "no"), ("tls-ciphers", Cipher));
        using var admin = new RespClient(server.Port);
        Assert.Contains($"Cipher is {Cipher}\n",
            OpenSslClient.Connect(PortNumber, Certificates, "-tls1_2"), StringComparison.Ordinal);
        Assert.Equal("OK", admin.Call("CONFIG", "SET", "tls-ciphersuites", Suite).Text);
        Assert.Contains($"Cipher is {Suite}\n",
            OpenSslClient.Connect(PortNumber, Certificates, "-tls1_3"), StringComparison.Ordinal);
        Assert.Contains($"Cipher is {Cipher}\n",
            OpenSslClient.Connect(PortNumber, Certificates, "-tls1_2"), StringComparison.Ordinal);
    }
}
