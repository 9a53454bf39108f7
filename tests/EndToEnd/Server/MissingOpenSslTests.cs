using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Tls;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>A machine without OpenSSL: an empty file lies over its library, for the server's process
/// alone.</summary>
public sealed class MissingOpenSslTests
{
    private const int HangMs = 300_000;
    private const int NoMountExitCode = 77;
    private const string Script = "mount --bind /dev/null \"$0\" || exit 77; exec \"$@\"";

    private static string? Library =>
        new[] { "/lib", "/usr/lib", "/lib64", "/usr/lib64" }.Where(Directory.Exists).SelectMany(
                static folder => Directory.EnumerateDirectories(folder, "*-linux-gnu").Prepend(folder))
            .Select(static folder => Path.Combine(folder, "libssl.so.3")).FirstOrDefault(File.Exists);

    /// <summary>The library is looked for before TLS is configured: its absence is a line of the log, and no
    /// abort.</summary>
    [Fact]
    public async Task AServerWithTlsDoesNotStart()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "mounts are Linux's");
        string? library = Library;
        Assert.SkipWhen(library is null, "libssl.so.3 is at no usual place");
        using var certificates = new TestCertificates();
        using var port = new ReservedPort();
        string[] directives = [.. certificates.Directives.SelectMany(
            static pair => (string[])["--" + pair.Directive, pair.Value])];
        // Who is not root becomes it in a namespace of its own.
        string[] namespaces = Environment.UserName == "root" ? ["--mount"] : ["--mount", "--map-root-user"];
        ProcessStartInfo start = new("unshare", [.. namespaces, "sh", "-c", Script, library!,
            ServerProgram.FilePath, "--port", "0", "--tls-port", $"{port.Number}", .. directives])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        Task<string> error = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        bool hasEnded = process.WaitForExit(HangMs);
        if (!hasEnded)
            process.Kill();
        Assert.True(hasEnded, await output);
        string said = await output + await error;
        Assert.SkipWhen(process.ExitCode == NoMountExitCode
            || said.Contains("unshare", StringComparison.Ordinal), "no mounts are allowed");
        Assert.Contains("libssl.so.3 (OpenSSL 3) is not installed", said, StringComparison.Ordinal);
        Assert.Equal(1, process.ExitCode);
    }
}
