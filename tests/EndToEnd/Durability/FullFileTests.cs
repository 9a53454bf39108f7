using System;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Durability;

/// <summary>
/// The system refuses to let the append-only file grow (a limit for each file of the process, which a write
/// meets as it meets a full disk): writes are refused until a rewrite has made a small one.
/// </summary>
public sealed class FullFileTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-full-");

    /// <inheritdoc/>
    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public void ARewriteEndsWhileWritesFail()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is set by a shell");
        Assert.SkipUnless(ServerProgram.IsNative, "the compiler of the managed form needs a big file");
        using StoredServer server = StoredServer.StartProgram(Limited(), _directory.FullName,
            "--appendonly", "yes", "--auto-aof-rewrite-percentage", "0");
        using RespClient client = server.Connect();
        int count = FillUp(client, 0);
        Assert.Contains("aof_last_write_status:err", Info(client), StringComparison.Ordinal);
        client.Call("BGREWRITEAOF");
        while (!Info(client).Contains("aof_last_write_status:ok", StringComparison.Ordinal))
            Thread.Sleep(10);
        while (!server.Log.Contains("Background AOF rewrite finished successfully", StringComparison.Ordinal))
            Thread.Sleep(10);
        Assert.Single(Files(), static name => name.Contains(".base.", StringComparison.Ordinal));
        Assert.Single(Files(), static name => name.Contains(".incr.", StringComparison.Ordinal));
        count = FillUp(client, count);
        client.Call("BGREWRITEAOF");
        while (!Info(client).Contains("aof_last_write_status:ok", StringComparison.Ordinal))
            Thread.Sleep(10);
        server.Restart();
        using RespClient reader = server.Connect();
        Assert.Equal(Enumerable.Range(0, count).Select(static number => $"{number}"),
            reader.Call("LRANGE", "list", "0", "-1").Items.Select(static item => item.Text));
    }

    // Appends numbers to a list until writes are refused; gives the next number.
    private static int FillUp(RespClient client, int number)
    {
        while (true)
        {
            client.Call("MULTI");
            client.Call("RPUSH", "list", $"{number}");
            client.Call("SET", "value", new string('x', 5000));
            if (client.Call("EXEC").Kind != '*')
                return number;
            number++;
        }
    }

    private static string Info(RespClient client) => client.Call("INFO", "persistence").Text;

    private string[] Files() =>
        [.. Directory.GetFiles(Path.Combine(_directory.FullName, "appendonlydir")).Select(Path.GetFileName)!];

    // Without the signal a write past the limit fails.
    private string Limited()
    {
        string path = Path.Combine(_directory.FullName, "limited.sh");
        File.WriteAllText(path,
            $"#!/bin/sh\ntrap '' XFSZ\nulimit -f 200\nexec '{ServerProgram.FilePath}' \"$@\"\n");
        if (OperatingSystem.IsLinux())
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        return path;
    }
}
