using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Engine.Server;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>What the log and INFO say of a load.</summary>
public sealed class LoadProgressTests
{
    private const int KeyCount = 20_000;

    // Less than the load reports by itself.
    private const int FewCount = 500;

    private static readonly string s_directory = Directory.GetCurrentDirectory();

    private readonly SimulatedFileSystem _files = new();

    [Fact]
    public void TheLogSaysHowFarASnapshotIs()
    {
        var builder = new RdbFileBuilder();
        for (int key = 0; key < KeyCount; key++)
            builder.String($"key:{key}", new string('x', 50));
        byte[] file = builder.End();
        _files.Put(Path.Combine(s_directory, "dump.rdb"), file);
        string[] rests = AssertReports(file.Length, ("loading-process-events-interval-bytes", "1024"));
        Assert.All(rests, static rest => Assert.Matches(@"^, \d+ keys$", rest));
    }

    /// <summary>That the commands of an increment are loaded is said, too.</summary>
    [Fact]
    public void TheLogSaysHowFarAnAppendOnlyFileIs()
    {
        long length = PutIncrement(KeyCount);
        string[] rests = AssertReports(length, ("appendonly", "yes"));
        Assert.All(rests, static rest => Assert.Equal("", rest));
    }

    /// <summary>Where each command is delayed each is reported, and not each thousandth.</summary>
    [Fact]
    public void TheLogSaysHowFarDelayedCommandsAre()
    {
        long length = PutIncrement(FewCount);
        AssertReports(length, FewCount, ("appendonly", "yes"), ("key-load-delay", "1"));
    }

    [Fact]
    public void KeysWhoseDeadlineHasPassedAreCounted()
    {
        var clock = new ManualClock();
        long nowMs = clock.UnixMicroseconds / 1000;
        _files.Put(Path.Combine(s_directory, "dump.rdb"), new RdbFileBuilder()
            .String("stays", "1").Expire(nowMs - 1).String("past", "2").Expire(1).String("gone", "3")
            .Expire(nowMs + 1000).String("later", "4").End());
        using TestServer server = TestServer.On(_files, clock);
        Assert.Null(server.Load());
        TestClient client = server.Connect();
        Assert.Contains("\r\nrdb_last_load_keys_expired:2\r\nrdb_last_load_keys_loaded:2\r\n",
            client.Call("INFO", "persistence").Text, StringComparison.Ordinal);
        Assert.Contains(server.Log.Lines, static line => line.EndsWith(
            "Done loading RDB, keys loaded: 2, keys expired: 2.", StringComparison.Ordinal));
        Assert.Equal(":2", client.Run("DBSIZE"));
    }

    /// <summary>Where replicas may go on with the stream that the snapshot belongs to, they are told which
    /// keys have been removed.</summary>
    [Fact]
    public void KeysWhoseDeadlineHasPassedAreRemovedInTheStream()
    {
        _files.Put(Path.Combine(s_directory, "dump.rdb"), new RdbFileBuilder()
            .Aux("repl-stream-db", "0").Aux("repl-id", new string('a', 40)).Aux("repl-offset", "1000")
            .String("stays", "1").Expire(1).String("gone", "3").End());
        using TestServer server = TestServer.On(_files, new ManualClock());
        Assert.Null(server.Load());
        TestClient client = server.Connect();
        Assert.Equal("_", client.Run("GET gone"));
        string told = client.Call("INFO", "replication").Text;
        const string Deletion = "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*2\r\n$3\r\nDEL\r\n$4\r\ngone\r\n";
        Assert.Contains($"master_repl_offset:{1000 + Deletion.Length}\r\n", told, StringComparison.Ordinal);
        Assert.Equal(":1", client.Run("DBSIZE"));
    }

    private long PutIncrement(int keyCount)
    {
        string directory = Path.Combine(s_directory, "appendonlydir");
        _files.Put(Path.Combine(directory, "appendonly.aof.manifest"), "file i seq 1 type i\n"u8);
        byte[] commands = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, keyCount)
            .Select(static key => $"*2\r\n$4\r\nINCR\r\n$5\r\n{key:D5}\r\n")));
        _files.Put(Path.Combine(directory, "i"), commands);
        return commands.Length;
    }

    private string[] AssertReports(
        long totalBytes, params ReadOnlySpan<(string Directive, string Value)> configuration) =>
        AssertReports(totalBytes, KeyCount, configuration);

    // Half a second passes whenever the time is read.
    private string[] AssertReports(
        long totalBytes, int keyCount, params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        var clock = new SteppingClock { StepUs = 500_000 };
        using TestServer server = TestServer.On(_files, clock, configuration);
        Assert.Null(server.Load());
        clock.StepUs = 0;
        Assert.Equal($":{keyCount}", server.Connect().Run("DBSIZE"));
        string total = (totalBytes / (double)(1 << 20)).ToString("F2", CultureInfo.InvariantCulture);
        var reports = new List<Match>(server.Log.Lines
            .Select(line => Regex.Match(line, $@"Loading: (\d+\.\d\d)% of {Regex.Escape(total)} Mb(.*)$"))
            .Where(static match => match.Success));
        double[] shares = [.. reports.Select(
            static match => double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture))];
        Assert.Equal(shares.Order(), shares);
        Assert.Contains(shares, static share => share is > 5 and < 95);
        return [.. reports.Select(static match => match.Groups[2].Value)];
    }
}
