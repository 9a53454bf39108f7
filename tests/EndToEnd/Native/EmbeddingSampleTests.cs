using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>The sample that embeds two servers, as a native program of its own.</summary>
public sealed class EmbeddingSampleTests
{
    // What a server's own process may change about itself, and a library must not.
    private static readonly string[] s_ofProcess =
        ["Name", "Umask", "THP_enabled", "Cpus_allowed", "NoNewPrivs"];

    [Fact]
    public void OneServerFaultsTheOtherServesAndTheProcessIsLeftAlone()
    {
        string? program = Environment.GetEnvironmentVariable("CINNABAR_EMBEDDING");
        Assert.SkipUnless(program is not null, "the sample is not compiled");
        using Process process = Process.Start(new ProcessStartInfo("env", ["--default-signal", program!])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            WorkingDirectory = Path.GetTempPath(),
        })!;
        string[] expected =
        [
            "first: OK", "second: 1", "first: ended with 1", "second: 2", "Enter ends the program.",
        ];
        foreach (string line in expected)
            Assert.Equal(line, process.StandardOutput.ReadLine());
        if (OperatingSystem.IsLinux())
            AssertIsAsItWas(process);
        process.StandardInput.WriteLine();
        Assert.Equal("first: closed\n", process.StandardOutput.ReadToEnd());
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
    }

    private static void AssertIsAsItWas(Process process)
    {
        string[] own = File.ReadAllLines("/proc/self/status");
        string folder = $"/proc/{process.Id}/";
        string[] its = File.ReadAllLines(folder + "status");
        foreach (string name in s_ofProcess)
        {
            string expected = name == "Name" ? "Name:\tembedding" : LineOf(own, name);
            Assert.Equal(expected, LineOf(its, name));
        }

        const string Score = "oom_score_adj";
        Assert.Equal(File.ReadAllText("/proc/self/" + Score), File.ReadAllText(folder + Score));
        Assert.Equal(Path.GetTempPath().TrimEnd('/'),
            File.ResolveLinkTarget(folder + "cwd", returnFinalTarget: true)!.FullName);
        // Signal 13 is SIGPIPE, which every .NET program ignores.
        Assert.Equal("SigIgn:\t0000000000001000", LineOf(its, "SigIgn"));
    }

    private static string LineOf(string[] lines, string name) =>
        lines.FirstOrDefault(line => line.StartsWith(name + ":", StringComparison.Ordinal)) ?? "";
}
