using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Durability;

/// <summary>rdb-key-save-delay: a save, or a rewrite with either kind of base, waits after each key until the
/// directive changes or the save is given up; other clients do not wait.</summary>
public sealed class KeySaveDelayTests
{
    private const string Hours = "2000000000";
    private const int WaitMsMax = 200_000;
    private const int PollMs = 5;

    /// <summary>A save takes at least what its keys wait.</summary>
    [Fact]
    public void EachKeyWaits()
    {
        const int DelayMs = 50;
        using var server = new OwnServer(1, ("rdb-key-save-delay", $"{DelayMs * 1000}"), ("save", ""));
        RespClient client = server.Connect();
        client.Run("MSET a 1 b 2 c 3 d 4");
        long start = Stopwatch.GetTimestamp();
        Assert.Equal("+OK", client.Run("SAVE"));
        // The clock of the waits counts whole milliseconds.
        Assert.InRange(Stopwatch.GetElapsedTime(start).TotalMilliseconds, 4 * (DelayMs - 1), WaitMsMax);
    }

    [Theory]
    [InlineData("BGSAVE", "yes", "rdb_bgsave_in_progress", "rdb_last_bgsave_status")]
    [InlineData("BGREWRITEAOF", "yes", "aof_rewrite_in_progress", "aof_last_bgrewrite_status")]
    [InlineData("BGREWRITEAOF", "no", "aof_rewrite_in_progress", "aof_last_bgrewrite_status")]
    public void ASaveWaitsAfterAKeyUntilTheDelayChanges(
        string command, string isSnapshot, string progress, string status)
    {
        using var server = new OwnServer(
            2, ("rdb-key-save-delay", Hours), ("aof-use-rdb-preamble", isSnapshot), ("save", ""));
        RespClient client = server.Connect();
        client.Run("MSET a 1 b 2 c 3");
        Assert.StartsWith("+", client.Run(command), StringComparison.Ordinal);
        Await(client, "current_save_keys_total", "3");
        Assert.Equal("+OK", client.Run("SET a 4"));
        Assert.Equal("1", Field(client, progress));
        client.Run("CONFIG SET rdb-key-save-delay 0");
        Await(client, progress, "0");
        Assert.Equal("ok", Field(client, status));
    }

    [Fact]
    public void ACancelledSaveWaitsNoLonger()
    {
        using var server = new OwnServer(1, ("rdb-key-save-delay", Hours), ("save", ""));
        RespClient client = server.Connect();
        client.Run("MSET a 1 b 2 c 3");
        client.Run("BGSAVE");
        Assert.Equal("1", Field(client, "rdb_bgsave_in_progress"));
        Assert.Equal("+Background saving cancelled", client.Run("BGSAVE CANCEL"));
        Await(client, "rdb_bgsave_in_progress", "0");
        Assert.Equal(Hours, client.Call("CONFIG", "GET", "rdb-key-save-delay").Items[1].Text);
    }

    private static void Await(RespClient client, string field, string value)
    {
        for (long start = Stopwatch.GetTimestamp(); Field(client, field) != value; Thread.Sleep(PollMs))
        {
            Assert.True(Stopwatch.GetElapsedTime(start).TotalMilliseconds < WaitMsMax,
                $"{field} does not become {value}");
        }
    }

    private static string Field(RespClient client, string name)
    {
        string text = client.Call("INFO", "persistence").Text;
        int start = text.IndexOf($"\n{name}:", StringComparison.Ordinal) + name.Length + 2;
        return text[start..text.IndexOf('\r', start)];
    }
}
