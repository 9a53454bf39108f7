using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Durability;

/// <summary>What operators do with the append-only file of the built server.</summary>
public sealed class AppendOnlyProgramTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-aof-");

    /// <summary>--restore-until gives the data of a moment, out of a base that a rewrite has replaced, and
    /// leaves the original as it was.</summary>
    [Fact]
    public void TheDataOfAMomentAreRestored()
    {
        string from = _directory.CreateSubdirectory("from").FullName;
        string to = Path.Combine(_directory.FullName, "to");
        long moment;
        using (StoredServer server = StoredServer.StartOwn(from, "--appendonly", "yes", "--save", "",
            "--aof-timestamp-enabled", "yes", "--aof-disable-auto-gc", "yes"))
        {
            using RespClient client = server.Connect();
            client.Call("SET", "early", "1");
            client.Call("FUNCTION", "LOAD",
                "#!lua name=l\nredis.register_function('f', function() return 7 end)");
            moment = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
            while (DateTimeOffset.UtcNow.ToUnixTimeSeconds() <= moment)
                Thread.Sleep(50);
            client.Call("SET", "late", "2");
            client.Call("BGREWRITEAOF");
            while (!client.Call("INFO", "persistence").Text.Contains(
                "aof_rewrite_in_progress:0", StringComparison.Ordinal) || Bases(from) < 2)
                Thread.Sleep(10);
            client.Call("SET", "early", "3");
            server.Stop();
        }

        Dictionary<string, string> before = Contents(from);
        (int code, string said) = Run(
            "--restore-until", moment.ToString(CultureInfo.InvariantCulture), from, to);
        Assert.True(code == 0, said);
        Assert.Equal(before, Contents(from));
        (code, said) = Run("--restore-until", moment.ToString(CultureInfo.InvariantCulture), from, to);
        Assert.Equal(1, code);
        Assert.Contains("exists: restore into a new directory", said, StringComparison.Ordinal);
        using StoredServer restored = StoredServer.StartOwn(to, "--appendonly", "yes", "--save", "");
        using RespClient reader = restored.Connect();
        Assert.Equal("*[$1, _]", reader.Run("MGET early late"));
        Assert.Equal(":7", reader.Run("FCALL f 0"));
    }

    /// <inheritdoc/>
    public void Dispose() => _directory.Delete(recursive: true);

    private static int Bases(string directory) =>
        Directory.GetFiles(Path.Combine(directory, "appendonlydir"), "*.base.rdb").Length;

    private static Dictionary<string, string> Contents(string directory) =>
        Directory.GetFiles(Path.Combine(directory, "appendonlydir")).Order().ToDictionary(
            static path => path, static path => Convert.ToHexString(File.ReadAllBytes(path)));

    private static (int Code, string Output) Run(params string[] arguments)
    {
        var start = new ProcessStartInfo(ServerProgram.FilePath, arguments) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, output);
    }
}
