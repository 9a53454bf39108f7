using System;
using System.Diagnostics;
using System.IO;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>The server's start with a file that redis-server wrote.</summary>
public sealed class LoadingTests : IDisposable
{
    private const int KeyCount = 300;
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-loading-").FullName;

    private string Snapshot => Path.Combine(_directory, "dump.rdb");

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    /// <summary>Data of all types have the same digest, and the log has Redis's lines in their
    /// order.</summary>
    [Fact]
    public void LoadsWhatRedisHasSaved()
    {
        string digest = SaveRandomData(KeyCount);
        using ServerRun run = Start();
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        Assert.Equal(digest, client.Call("DEBUG", "DIGEST").Text);
        string info = client.Call("INFO", "persistence").Text;
        Assert.Contains("\r\nloading:0\r\n", info, StringComparison.Ordinal);
        Assert.Contains($"\r\nrdb_last_load_keys_loaded:{2 * KeyCount}\r\n", info, StringComparison.Ordinal);
        Assert.DoesNotContain("loading_start_time", info, StringComparison.Ordinal);
        AssertInOrder(run.Output, "* Server initialized\n", "* Loading RDB produced by version 7.0.15\n",
            "* RDB age ", "* RDB memory usage when created ",
            $"* Done loading RDB, keys loaded: {2 * KeyCount}, keys expired: 0.\n",
            "* DB loaded from disk: ", "* Ready to accept connections tcp\n");
    }

    /// <summary>While data are loaded commands are refused, INFO shows how far it is, and signals end the
    /// server.</summary>
    [Fact]
    public void RefusesCommandsWhileItLoads()
    {
        SaveRandomData(KeyCount);
        using ServerRun run = Start("--key-load-delay", "500000");
        run.WaitFor("* RDB memory usage when created ");
        using var client = new RespClient(run.Port);
        Assert.Equal("-LOADING Redis is loading the dataset in memory", client.Run("GET a"));
        Assert.Equal("-LOADING Redis is loading the dataset in memory", client.Run("PING"));
        string info = client.Call("INFO", "persistence").Text;
        Assert.Contains("\r\nloading:1\r\n", info, StringComparison.Ordinal);
        foreach (string field in (string[])["start_time", "total_bytes", "rdb_used_mem", "loaded_bytes",
            "loaded_perc", "eta_seconds"])
            Assert.Contains($"\r\nloading_{field}:", info, StringComparison.Ordinal);
        Assert.DoesNotContain("Ready to accept", run.Output, StringComparison.Ordinal);
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
        Assert.Contains("Received shutdown signal during loading, scheduling shutdown.", run.Output,
            StringComparison.Ordinal);
        Assert.True(File.Exists(Snapshot));
    }

    /// <summary>The delay of each key ends when it is set to 0; then the server serves.</summary>
    [Fact]
    public void AChangedDelayHastensTheLoad()
    {
        SaveRandomData(20);
        using ServerRun run = Start("--key-load-delay", "100000000");
        run.WaitFor("* RDB memory usage when created ");
        using (var client = new RespClient(run.Port))
        {
            Assert.Equal("-LOADING Redis is loading the dataset in memory",
                client.Run("CONFIG SET repl-diskless-load disabled"));
            Assert.EndsWith("- can't set protected config", client.Run("CONFIG SET dir none"),
                StringComparison.Ordinal);
            Assert.Equal("+OK", client.Run("CONFIG SET key-load-delay 0"));
        }

        run.WaitUntilReady();
    }

    /// <summary>SHUTDOWN during the load ends the server and leaves the file.</summary>
    [Fact]
    public void ShutdownEndsALoad()
    {
        SaveRandomData(20);
        byte[] before = File.ReadAllBytes(Snapshot);
        using ServerRun run = Start("--key-load-delay", "100000000");
        run.WaitFor("* RDB memory usage when created ");
        using (var client = new RespClient(run.Port))
            client.Send("SHUTDOWN");
        Assert.Equal(0, run.WaitForEnd());
        Assert.Equal(before, File.ReadAllBytes(Snapshot));
    }

    /// <summary>A damaged file ends the process with 1, and the log says where and what.</summary>
    [Theory]
    [InlineData("cut", "# Short read or OOM loading DB. Unrecoverable error, aborting now.\n")]
    [InlineData("flip", "# Wrong RDB checksum expected: (")]
    [InlineData("version", "# Can't handle RDB format version 99\n")]
    [InlineData("magic", "# Wrong signature trying to load DB from file\n")]
    [InlineData("empty", "# Short read or OOM loading DB. Unrecoverable error, aborting now.\n")]
    public void ADamagedFileEndsWithOne(string damage, string line)
    {
        SaveRandomData(10);
        byte[] bytes = File.ReadAllBytes(Snapshot);
        switch (damage)
        {
            case "cut":
                bytes = bytes[..(bytes.Length / 2)];
                break;
            case "flip":
                bytes[^1] ^= 1;
                break;
            case "version":
                "0099"u8.CopyTo(bytes.AsSpan(5));
                break;
            case "magic":
                bytes[0] ^= 1;
                break;
            default:
                bytes = [];
                break;
        }

        File.WriteAllBytes(Snapshot, bytes);
        using ServerRun run = Start();
        Assert.Equal(1, run.WaitForEnd());
        AssertInOrder(run.Output, line, damage == "flip"
            ? "# Terminating server after rdb file reading failure.\n"
            : "# Fatal error loading the DB, check server logs. Exiting.\n");
        if (damage is "cut" or "flip")
            AssertInOrder(run.Output, line, "# --- RDB ERROR DETECTED ---\n", " keys read\n");
        Assert.DoesNotContain("Ready to accept", run.Output, StringComparison.Ordinal);
    }

    /// <summary>The checking tool says what Debian's says, of sound files and of damaged ones, and ends with
    /// the same code.</summary>
    [Theory]
    [InlineData("")]
    [InlineData("flip")]
    [InlineData("type")]
    [InlineData("nothing")]
    public void ChecksAsRedisDoes(string damage)
    {
        SaveRandomData(50);
        if (damage is "flip" or "type")
        {
            byte[] bytes = File.ReadAllBytes(Snapshot);
            // The checksum; or what says that it comes, for which there is no type.
            bytes[damage == "flip" ? ^1 : ^(sizeof(ulong) + 1)] ^= damage == "flip" ? (byte)1 : (byte)0x80;
            File.WriteAllBytes(Snapshot, bytes);
        }

        string file = damage == "nothing" ? Snapshot + ".not" : Snapshot;
        (int expectedCode, string expected) = Execute("redis-check-rdb", file);
        (int code, string said) = Execute(ServerProgram.FilePath, "--check-rdb", file);
        Assert.Equal(expectedCode, code);
        if (damage != "nothing")
            Assert.Equal(expected, said);
    }

    /// <summary>The program is the tool where it is called so.</summary>
    [Theory]
    [InlineData("redis-check-rdb")]
    [InlineData("valkey-check-rdb")]
    public void TheProgramThatIsCalledLikeTheToolChecks(string name)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links of this kind are of unix.");
        string link = Path.Combine(_directory, name);
        File.CreateSymbolicLink(link, ServerProgram.FilePath);
        string file = Path.Combine(_directory, "file.rdb");
        File.WriteAllText(file, "REDIS0099");
        (int code, string said) = Execute(link, file);
        Assert.Equal(1, code);
        Assert.StartsWith($"[offset 0] Checking RDB file {file}\n--- RDB ERROR DETECTED ---\n"
            + "[offset 9] Can't handle RDB format version 99\n", said, StringComparison.Ordinal);
    }

    private static (int Code, string Output) Execute(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, output);
    }

    private static void AssertInOrder(string output, params ReadOnlySpan<string> lines)
    {
        int position = 0;
        foreach (string line in lines)
        {
            position = output.IndexOf(line, position, StringComparison.Ordinal);
            Assert.True(position >= 0, $"'{line}' is not in its place in\n{output}");
        }
    }

    private ServerRun Start(params string[] options) => new(null,
        ["--dir", _directory, "--enable-debug-command", "yes", "--pidfile", "own.pid", .. options]);

    /// <summary>Has redis-server save random data; gives their digest.</summary>
    private string SaveRandomData(int keyCount)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start("--enable-debug-command", "yes");
        using RespClient client = oracle.Connect();
        RandomData.Fill(client, Seeded.Seed(), keyCount);
        string digest = client.Call("DEBUG", "DIGEST").Text;
        Assert.Equal("+OK", client.Run("SAVE"));
        string source = client.Call("CONFIG", "GET", "dir").Items[1].Text;
        File.Copy(Path.Combine(source, "dump.rdb"), Snapshot);
        return digest;
    }
}
