using System.Net.Security;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>OpenSSL's names of the ciphers that a list for the framework can have.</summary>
internal static class CipherNames
{
    private static (string Name, TlsCipherSuite Suite)[] Suites =>
    [
        ("TLS_AES_128_GCM_SHA256", TlsCipherSuite.TLS_AES_128_GCM_SHA256),
        ("TLS_AES_256_GCM_SHA384", TlsCipherSuite.TLS_AES_256_GCM_SHA384),
        ("TLS_CHACHA20_POLY1305_SHA256", TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256),
    ];

    private static (string Name, TlsCipherSuite Suite)[] Ciphers =>
    [
        ("ECDHE-ECDSA-AES128-GCM-SHA256", TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
        ("ECDHE-ECDSA-AES256-GCM-SHA384", TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
        ("ECDHE-ECDSA-CHACHA20-POLY1305", TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
        ("ECDHE-RSA-AES128-GCM-SHA256", TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
        ("ECDHE-RSA-AES256-GCM-SHA384", TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
        ("ECDHE-RSA-CHACHA20-POLY1305", TlsCipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
        ("DHE-RSA-AES128-GCM-SHA256", TlsCipherSuite.TLS_DHE_RSA_WITH_AES_128_GCM_SHA256),
        ("DHE-RSA-AES256-GCM-SHA384", TlsCipherSuite.TLS_DHE_RSA_WITH_AES_256_GCM_SHA384),
        ("AES128-GCM-SHA256", TlsCipherSuite.TLS_RSA_WITH_AES_128_GCM_SHA256),
        ("AES256-GCM-SHA384", TlsCipherSuite.TLS_RSA_WITH_AES_256_GCM_SHA384),
    ];

    /// <summary>The suites of both directives, each with its default where it is empty.</summary>
    /// <param name="ciphers"><c>tls-ciphers</c>: names between colons.</param>
    /// <param name="suites"><c>tls-ciphersuites</c>: names between colons.</param>
    /// <exception cref="TlsFailedException">A name is unknown, or an expression.</exception>
    public static List<TlsCipherSuite> Parse(string ciphers, string suites)
    {
        List<TlsCipherSuite> all = [];
        Add(all, Suites, suites, "ciphersuites");
        Add(all, Ciphers, ciphers, "ciphers");
        return all;
    }

    private static void Add(List<TlsCipherSuite> all, (string Name, TlsCipherSuite Suite)[] known,
        string text, string directive)
    {
        string[] names = Array.ConvertAll(known, static one => one.Name);
        string[] wanted = text.Length == 0 ? names : text.Split(':');
        foreach (string name in wanted)
        {
            int index = Array.FindIndex(known, one => one.Name == name);
            if (index < 0)
                throw new TlsFailedException($"Failed to configure {directive}: {text}: this system knows "
                    + string.Join(':', names));
            all.Add(known[index].Suite);
        }
    }
}
