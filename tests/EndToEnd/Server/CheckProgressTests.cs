using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>The bar that the tools show where a person looks on.</summary>
public sealed class CheckProgressTests : IDisposable
{
    private const int CommandCount = 5000;
    private const int KeyCount = 300_000;

    private readonly string _path = Path.GetTempFileName();

    public void Dispose() => File.Delete(_path);

    [Theory]
    [InlineData("")]
    [InlineData("*broken")]
    public void CommandsThatAreCheckedHaveABar(string end)
    {
        string commands = string.Concat(Enumerable.Repeat("*2\r\n$4\r\nINCR\r\n$1\r\na\r\n", CommandCount));
        File.WriteAllText(_path, commands + end);
        AssertBar($"{ServerProgram.FilePath} --check-aof {_path}");
    }

    [Fact]
    public void ASnapshotThatIsCheckedHasABar()
    {
        // Strings, and no checksum.
        File.WriteAllBytes(_path, [.. "REDIS0009"u8, .. Enumerable.Range(0, KeyCount).SelectMany(static key =>
            (byte[])[0, 7, .. Encoding.ASCII.GetBytes($"{key:D7}"), 1, (byte)'v']), 0xFF, .. new byte[8]]);
        AssertBar($"{ServerProgram.FilePath} --check-rdb {_path}");
    }

    // On a terminal: the bar, then what is written elsewhere, too.
    private static void AssertBar(string command)
    {
        string expected = Execute("sh", "-c", $"{command} 2>&1");
        Assert.DoesNotContain("%", expected, StringComparison.Ordinal);
        string shown = Execute("script", "-qec", command, "/dev/null");
        Assert.Matches(@"\r\[=* *\] +\d+%", shown);
        Assert.EndsWith(expected.Split('\n', StringSplitOptions.RemoveEmptyEntries)[^1],
            shown.TrimEnd(), StringComparison.Ordinal);
        // No line begins behind a bar that is still there.
        Assert.DoesNotMatch(@"%[^\r%]*[^\s%][^\r%]*\r", shown);
    }

    private static string Execute(string program, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "a terminal is simulated with Linux's script");
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        using Process process = Process.Start(start)!;
        process.StandardInput.Close();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return output;
    }
}
