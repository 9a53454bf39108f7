using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Cinnabar.Tests.Differential.Journaling;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>A directory with the data of one server after another: Cinnabar's program, or the oracle. Each
/// loads what is there, changes it at random and stores it.</summary>
internal sealed class StoredData : IDisposable
{
    private const int KeyCount = 60;
    private const int CommandCount = 100;
    private const int PollMs = 5;
    private const int TextLengthMax = 200;
    private const int StoreMsMax = 300_000;

    private static readonly string[] s_families =
        ["strings", "lists", "hashes", "sets", "sortedsets", "streams", "geo"];

    // Fields with deadlines are nothing that older servers know; a flush leaves nothing to compare.
    private static readonly string[] s_refused =
    [
        "hexpire", "hexpireat", "hpexpire", "hpexpireat", "hsetex", "hgetex", "flushdb", "flushall",
    ];

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-exchange-");
    private readonly Random _random;
    private readonly StoredKind _kind;
    private readonly DataDetail _detail;
    private readonly string[] _options;

    /// <summary>Makes an empty one.</summary>
    /// <param name="random">What it chooses by.</param>
    /// <param name="kind">What the data are stored as.</param>
    public StoredData(Random random, StoredKind kind)
    {
        _random = random;
        _kind = kind;
        _detail = kind == StoredKind.Snapshot ? DataDetail.Redis70 : DataDetail.Redis70Journal;
        // The size of a collection from which on it has another encoding.
        string entries = $"{random.Next(1, 200)}";
        string bytes = $"{random.Next(1, 100)}";
        _options =
        [
            "--appendonly", kind == StoredKind.Snapshot ? "no" : "yes",
            "--aof-use-rdb-preamble", kind == StoredKind.Commands ? "no" : "yes",
            "--aof-timestamp-enabled", random.Next(2) == 0 ? "no" : "yes",
            "--rdbcompression", random.Next(2) == 0 ? "no" : "yes",
            "--hash-max-listpack-entries", entries, "--hash-max-listpack-value", bytes,
            "--zset-max-listpack-entries", entries, "--zset-max-listpack-value", bytes,
            "--set-max-intset-entries", entries, "--stream-node-max-entries", entries,
            "--list-max-listpack-size", random.Next(2) == 0 ? "-2" : entries,
            "--list-compress-depth", $"{random.Next(3)}", "--enable-debug-command", "yes",
        ];
    }

    /// <summary>What a server has when it ends.</summary>
    public List<string> Last { get; private set; } = [];

    /// <summary>Has a server load the data, which are those of the one before, change them and store
    /// them.</summary>
    /// <param name="isOwn">Whether it is Cinnabar.</param>
    public void Pass(bool isOwn)
    {
        using StoredServer server = Start(isOwn);
        using RespClient client = server.Connect();
        Func<string[], RespValue> call = words => client.Call(words);
        if (Last.Count > 0)
            AssertSame(Last, DataText.Of(call, _detail, hasDigest: !OracleServer.IsNamed), server.Log);
        Change(client, call);
        Store(client);
        if (_kind != StoredKind.Snapshot)
            Change(client, call);
        Last = DataText.Of(call, _detail, hasDigest: !OracleServer.IsNamed);
        server.Stop();
        Check();
    }

    public void Dispose() => _directory.Delete(recursive: true);

    private static void AssertSame(List<string> expected, List<string> actual, string log)
    {
        for (int index = 0; index < Math.Min(expected.Count, actual.Count); index++)
        {
            int same = expected[index].AsSpan().CommonPrefixLength(actual[index]);
            Assert.True(expected[index] == actual[index],
                $"{Escaped(expected[index], 0)}\nat {same}: {Escaped(expected[index], same)}\n"
                + $"was loaded as {Escaped(actual[index], same)}\n{log}");
        }

        Assert.Equal(expected.Count, actual.Count);
    }

    private static string Escaped(string text, int start) => string.Concat(
        text.Skip(start).Take(TextLengthMax).Select(static one =>
            one is >= ' ' and <= '~' ? $"{one}" : $"\\x{(int)one:x2}"));

    private StoredServer Start(bool isOwn) => isOwn
        ? StoredServer.StartOwn(_directory.FullName, [.. _options, "--rdb-compatibility", "7.0"])
        : StoredServer.StartNamed(_directory.FullName, _options);

    private void Change(RespClient client, Func<string[], RespValue> call)
    {
        var keys = new RandomKeys(_random) { HasNegativeZeros = false };
        RespValue[] replies = client.CallAll(keys.Commands(KeyCount).Select(
            static words => words.Select(Encoding.Latin1.GetBytes).ToArray()));
        // A key of a number may be there with another type.
        Assert.All(replies, static reply => Assert.True(
            reply.Kind != '-' || reply.Text.StartsWith("WRONGTYPE", StringComparison.Ordinal)
                || reply.Text.Contains("top item", StringComparison.Ordinal)
                || reply.Text.StartsWith("BUSYGROUP", StringComparison.Ordinal), reply.Text));
        foreach (string family in s_families)
        {
            var stream = new CommandStream(
                call, _random.Next(), CommandFamily.CommandsOf(family).Except(s_refused));
            for (int count = 0; count < CommandCount; count++)
            {
                string[] words = stream.Next();
                if (!words.Any(static word => word.StartsWith("idmp", StringComparison.OrdinalIgnoreCase)))
                    client.Call(words);
            }

            client.Call("DISCARD");
        }
    }

    private void Store(RespClient client)
    {
        if (_kind == StoredKind.Snapshot)
        {
            Assert.Equal("+OK", client.Run("SAVE"));
            return;
        }

        Assert.Equal('+', client.Call("BGREWRITEAOF").Kind);
        for (long end = Environment.TickCount64 + StoreMsMax; ; Thread.Sleep(PollMs))
        {
            string info = client.Call("INFO", "persistence").Text;
            if (info.Contains("aof_rewrite_in_progress:0", StringComparison.Ordinal)
                && info.Contains("aof_rewrite_scheduled:0", StringComparison.Ordinal))
            {
                Assert.Contains("aof_last_bgrewrite_status:ok", info, StringComparison.Ordinal);
                return;
            }

            Assert.True(Environment.TickCount64 < end, "the rewrite does not end");
        }
    }

    // By Debian's own tools.
    private void Check()
    {
        if (OracleServer.IsNamed)
            return;
        (string tool, string file) = _kind == StoredKind.Snapshot
            ? ("redis-check-rdb", "dump.rdb")
            : ("redis-check-aof", Path.Combine("appendonlydir", "appendonly.aof.manifest"));
        var start = new ProcessStartInfo(tool, Path.Combine(_directory.FullName, file))
        {
            RedirectStandardOutput = true,
        };
        using Process check = Process.Start(start)!;
        string output = check.StandardOutput.ReadToEnd();
        check.WaitForExit();
        Assert.True(check.ExitCode == 0,
            string.Create(CultureInfo.InvariantCulture, $"{tool}: {check.ExitCode}: {output}"));
    }
}
