using System;
using System.Diagnostics;
using System.IO;
using System.Text;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>--check-aof of files that end too early says and returns what Debian's redis-check-aof
/// does.</summary>
public sealed partial class AofCheckToolTests : IDisposable
{
    private const int LengthMax = 64;
    private const string Commands = "#TS:1700000000\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*1\r\n$5\r\nMULTI\r\n"
        + "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n*1\r\n$4\r\nEXEC\r\n";

    private const string Manifest = "file base seq 1 type b\nfile increment seq 1 type i\n";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-check-");

    [Fact]
    public void FilesOfCommandsThatEndTooEarly() =>
        CompareTruncated("a.aof", Encoding.ASCII.GetBytes(Commands), "a.aof");

    /// <summary>Files that have no whole header, word for word what the tools of Redis say of
    /// them.</summary>
    [Theory]
    [InlineData("rdb", "REDIS0010", "REDIS0000", "VALKEYXXX")]
    // The header of Valkey's snapshots, as the base of such a file, is known here only.
    [InlineData("aof", "REDIS0010", "REDIS0000", "VELKEYXXX")]
    public void HeadersThatEndTooEarly(string kind, params string[] headers)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "the tools come with redis-server");
        foreach (string header in headers)
        {
            for (int length = 0; length <= header.Length; length++)
            {
                Put("f", Encoding.ASCII.GetBytes(header[..length]));
                Assert.Equal(RunAsIs($"redis-check-{kind}", "f"),
                    RunAsIs(ServerProgram.FilePath, $"--check-{kind}", "f"));
            }
        }
    }

    /// <summary>As a file of its own, and as the base of a manifest: the tool takes nothing shorter than
    /// eight bytes for a snapshot.</summary>
    [Theory]
    [InlineData("base")]
    [InlineData("a.manifest")]
    public void SnapshotsThatEndTooEarly(string checkedName)
    {
        Put("a.manifest", Encoding.ASCII.GetBytes(Manifest));
        Put("increment", Encoding.ASCII.GetBytes(Commands));
        CompareTruncated("base", MakeSnapshot(), checkedName);
    }

    [Fact]
    public void ManifestsThatEndTooEarly()
    {
        Put("base", Encoding.ASCII.GetBytes(Commands));
        Put("increment", Encoding.ASCII.GetBytes(Commands));
        CompareTruncated("a.manifest", Encoding.ASCII.GetBytes(Manifest), "a.manifest");
    }

    /// <summary>The last increment of a manifest may end too early; one before it may not.</summary>
    [Fact]
    public void IncrementsThatEndTooEarly()
    {
        Put("base", Encoding.ASCII.GetBytes(Commands));
        Put("a.manifest", Encoding.ASCII.GetBytes(Manifest));
        CompareTruncated("increment", Encoding.ASCII.GetBytes(Commands), "a.manifest");
    }

    /// <summary>The end of the file is cut off behind the last command that was written at the time, but not
    /// of a file that others follow, and not where nothing is left.</summary>
    [Theory]
    [InlineData("increment", "0")]
    [InlineData("increment", "-1")]
    [InlineData("increment", "")]
    [InlineData("increment", "x")]
    [InlineData("increment", "1700000005x")]
    [InlineData("increment", " 1700000005")]
    [InlineData("increment", "99999999999999999999")]
    [InlineData("increment", "1699999999")]
    [InlineData("increment", "1700000000")]
    [InlineData("increment", "1700000009")]
    [InlineData("increment", "1700000010")]
    [InlineData("increment", "1700000015")]
    [InlineData("increment", "1700000020")]
    [InlineData("increment", "1800000000")]
    [InlineData("a.manifest", "1699999999")]
    [InlineData("a.manifest", "1700000005")]
    [InlineData("a.manifest", "1700000015")]
    [InlineData("a.manifest", "1800000000")]
    [InlineData("first.manifest", "1700000005")]
    public void FilesAreTruncatedToATime(string checkedName, string time)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-check-aof comes with redis-server");
        byte[] commands = Encoding.ASCII.GetBytes(
            Commands + Commands.Replace("000\r", "010\r") + Commands.Replace("000\r", "020\r"));
        (string Said, byte[] Left) expected = Truncated("redis-check-aof");
        (string Said, byte[] Left) own = Truncated(ServerProgram.FilePath, "--check-aof");
        Assert.Equal(expected.Said, own.Said);
        Assert.Equal(expected.Left, own.Left);

        (string, byte[]) Truncated(string program, params string[] first)
        {
            Put("a.manifest", Encoding.ASCII.GetBytes(Manifest));
            Put("first.manifest", Encoding.ASCII.GetBytes(Manifest.Replace("base", "increment")
                .Replace("increment seq 1 type i", "last seq 1 type i")));
            Put("base", Encoding.ASCII.GetBytes(Commands));
            Put("increment", commands);
            Put("last", Encoding.ASCII.GetBytes(Commands));
            string said = Run(program, [.. first, "--truncate-to-timestamp", time, checkedName]);
            return (said, File.ReadAllBytes(Path.Combine(_directory.FullName, "increment")));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _directory.Delete(recursive: true);

    private void CompareTruncated(string name, byte[] whole, string checkedName)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-check-aof comes with redis-server");
        for (int length = 0; length <= Math.Min(LengthMax, whole.Length); length++)
        {
            Put(name, whole.AsSpan(0, length));
            string expected = Run("redis-check-aof", checkedName);
            string own = Run(ServerProgram.FilePath, "--check-aof", checkedName);
            Assert.True(expected == own, $"{name} of {length} bytes: {expected}but:\n{own}");
        }
    }

    private void Put(string name, ReadOnlySpan<byte> bytes) =>
        File.WriteAllBytes(Path.Combine(_directory.FullName, name), bytes);

    // A snapshot that redis-server writes, with the fields that a base has.
    private byte[] MakeSnapshot()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        DirectoryInfo data = _directory.CreateSubdirectory("data");
        using (StoredServer server = StoredServer.StartNamed(data.FullName, "--save", ""))
        {
            using RespClient client = server.Connect();
            client.Call("SET", "key", "value");
            Assert.Equal("+OK", client.Run("SAVE"));
        }

        return File.ReadAllBytes(Path.Combine(data.FullName, "dump.rdb"));
    }

    private string Run(string program, params string[] arguments) =>
        Comparable(RunAsIs(program, arguments));

    private string RunAsIs(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            WorkingDirectory = _directory.FullName,
        })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return output + $"exit code {process.ExitCode}\n";
    }

    // Redis's tool writes faults of a manifest to its log; of a line that ends too early it shows a byte of
    // the line before; the place within a snapshot and what stands there are told in other words
    // (docs/differences.md).
    private static string Comparable(string output) => SnapshotPlace().Replace(
        StaleByte().Replace(LogStart().Replace(output, ""), "got: 00"), "");

    [GeneratedRegex("^[0-9]+:C .* # ", RegexOptions.Multiline)]
    private static partial Regex LogStart();

    [GeneratedRegex("got: 00[0-9a-f]{2}")]
    private static partial Regex StaleByte();

    [GeneratedRegex(@"^(\[additional info\].*\n|\[offset [0-9]+\] (?=AUX|Unexpected|Selecting))",
        RegexOptions.Multiline)]
    private static partial Regex SnapshotPlace();
}
