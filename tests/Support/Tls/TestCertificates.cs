using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cinnabar.Tests.Support.Tls;

/// <summary>An authority and certificates of it, as files in a directory of their own.</summary>
public sealed class TestCertificates : IDisposable
{
    private const int KeyBits = 2048;

    private readonly X509Certificate2 _authority;
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-tls-").FullName;

    /// <summary>Makes the authority and a certificate for servers.</summary>
    public TestCertificates()
    {
        using var key = RSA.Create(KeyBits);
        var request = new CertificateRequest(
            "CN=Cinnabar tests", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(
            new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        _authority = request.CreateSelfSigned(
            DateTimeOffset.UtcNow.AddDays(-2), DateTimeOffset.UtcNow.AddDays(30));
        File.WriteAllText(AuthorityFile, _authority.ExportCertificatePem());
        Make("server");
    }

    /// <summary>The authority's certificate.</summary>
    public string AuthorityFile => PathOf("ca.crt");

    /// <summary>The directives of a server with TLS.</summary>
    public (string Directive, string Value)[] Directives =>
    [
        ("tls-cert-file", PathOf("server.crt")), ("tls-key-file", PathOf("server.key")),
        ("tls-ca-cert-file", AuthorityFile),
    ];

    /// <summary>A file of the directory.</summary>
    public string PathOf(string name) => Path.Combine(_directory, name);

    /// <summary>Makes <c>NAME.crt</c> and <c>NAME.key</c>.</summary>
    /// <param name="name">The files' name, and the common name of the certificate.</param>
    /// <param name="daysLeft">When it expires; negative: it has.</param>
    /// <param name="password">The pass phrase of the key file; null: none.</param>
    /// <param name="uri">A URI among its alternative names, or null.</param>
    /// <returns>The serial number, hexadecimal.</returns>
    public string Make(string name, int daysLeft = 10, string? password = null, string? uri = null)
    {
        using var key = RSA.Create(KeyBits);
        var request = new CertificateRequest(
            $"CN={name}", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        if (uri is not null)
            names.AddUri(new Uri(uri));
        request.CertificateExtensions.Add(names.Build());
        byte[] serial = RandomNumberGenerator.GetBytes(8);
        serial[0] = (byte)((serial[0] & 0x7F) | 0x40);
        using X509Certificate2 certificate = request.Create(_authority,
            DateTimeOffset.UtcNow.AddDays(-2), DateTimeOffset.UtcNow.AddDays(daysLeft), serial);
        File.WriteAllText(PathOf(name + ".crt"), certificate.ExportCertificatePem());
        File.WriteAllText(PathOf(name + ".key"), password is null
            ? key.ExportPkcs8PrivateKeyPem()
            : key.ExportEncryptedPkcs8PrivateKeyPem(
                password,
                new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000)));
        return Convert.ToHexString(serial);
    }

    /// <summary>A certificate with its key, for a client in this process.</summary>
    public X509Certificate2 Load(string name) =>
        X509Certificate2.CreateFromPemFile(PathOf(name + ".crt"), PathOf(name + ".key"));

    /// <inheritdoc/>
    public void Dispose()
    {
        _authority.Dispose();
        Directory.Delete(_directory, recursive: true);
    }
}
