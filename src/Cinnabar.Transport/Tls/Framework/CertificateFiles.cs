using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>Reads the files of certificates and keys.</summary>
internal static class CertificateFiles
{
    private const string EncryptedLabel = "ENCRYPTED PRIVATE KEY";

    /// <summary>The certificates of a file.</summary>
    /// <param name="name">Its path, one char a byte.</param>
    /// <param name="failure">What the error begins with.</param>
    /// <exception cref="TlsFailedException">There is none, or the file cannot be read.</exception>
    public static X509Certificate2Collection Read(string name, string failure)
    {
        var found = new X509Certificate2Collection();
        try
        {
            found.ImportFromPemFile(ConfigurationText.ToPath(name));
        }
        catch (Exception fault) when (IsOfFile(fault))
        {
            throw new TlsFailedException($"{failure}: {name}: {fault.Message}");
        }

        return found.Count > 0 ? found : throw new TlsFailedException($"{failure}: {name}: no certificate");
    }

    /// <summary>The server's certificate with its key.</summary>
    /// <exception cref="TlsFailedException">They cannot be read, or do not belong together.</exception>
    public static X509Certificate2 ReadWithKey(TlsOptions options)
    {
        try
        {
            string certificate = File.ReadAllText(ConfigurationText.ToPath(options.CertificateFile));
            string key = File.ReadAllText(ConfigurationText.ToPath(options.KeyFile));
            using X509Certificate2 made = key.Contains(EncryptedLabel, StringComparison.Ordinal)
                ? X509Certificate2.CreateFromEncryptedPem(
                    certificate, key, ConfigurationText.ToPath(options.KeyPassword))
                : X509Certificate2.CreateFromPem(certificate, key);
            // Windows accepts no key that has never been in a store or an archive.
            return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), password: null);
        }
        catch (Exception fault) when (IsOfFile(fault))
        {
            throw new TlsFailedException($"Failed to load private key: {options.KeyFile}: {fault.Message}");
        }
    }

    /// <summary>The certificates that clients' are checked with.</summary>
    /// <exception cref="TlsFailedException">They cannot be read.</exception>
    public static X509Certificate2Collection Authorities(TlsOptions options)
    {
        const string Failure = "Failed to configure CA certificate(s) file/directory";
        var all = new X509Certificate2Collection();
        if (options.AuthorityFile.Length > 0)
            all.AddRange(Read(options.AuthorityFile, Failure));
        if (options.AuthorityDirectory.Length == 0)
            return all;
        try
        {
            foreach (string path in Directory.GetFiles(ConfigurationText.ToPath(options.AuthorityDirectory)))
                all.ImportFromPem(File.ReadAllText(path));
        }
        catch (Exception fault) when (IsOfFile(fault))
        {
            throw new TlsFailedException($"{Failure}: {options.AuthorityDirectory}: {fault.Message}");
        }

        return all;
    }

    /// <summary>What INFO tells.</summary>
    /// <exception cref="TlsFailedException">A file cannot be read.</exception>
    public static TlsCertificates Describe(X509Certificate2 server, TlsOptions options)
    {
        string client = options.ClientCertificateFile;
        string authority = options.AuthorityFile;
        return new TlsCertificates(
            Describe(server),
            client.Length > 0 ? Describe(Read(client, "Failed to load certificate")[0]) : null,
            authority.Length > 0
                ? Read(authority, "Failed to load certificate").Select(Describe)
                    .MinBy(static certificate => certificate.ExpiryUnixS)
                : null);
    }

    private static TlsCertificate Describe(X509Certificate2 certificate) => new(
        Convert.ToHexString(certificate.SerialNumberBytes.Span.TrimStart((byte)0)),
        new DateTimeOffset(certificate.NotAfter.ToUniversalTime()).ToUnixTimeSeconds());

    private static bool IsOfFile(Exception fault) =>
        fault is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException;
}
