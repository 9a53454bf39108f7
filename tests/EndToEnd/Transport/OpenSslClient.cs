using Cinnabar.Tests.EndToEnd.Clients;
using Cinnabar.Tests.Support.Tls;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>The program of OpenSSL as a client: it shows what was negotiated, and keeps sessions in a file.
/// </summary>
internal static class OpenSslClient
{
    /// <summary>Connects, sends PING and QUIT, and prints all about the connection.</summary>
    /// <param name="port">The server's port.</param>
    /// <param name="certificates">The authority that the client trusts.</param>
    /// <param name="options">More options of <c>s_client</c>.</param>
    public static string Connect(int port, TestCertificates certificates, params string[] options) =>
        Talk(port, certificates, "PING", options);

    /// <summary>The same with another command.</summary>
    public static string Talk(
        int port, TestCertificates certificates, string command, params string[] options) =>
        ToolRun.Run("openssl", command + "\r\nQUIT\r\n", ["s_client", "-connect", $"127.0.0.1:{port}",
            "-CAfile", certificates.AuthorityFile, "-ign_eof", .. options]);
}
