using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// Random streams of the commands of lists to redis-server and to the engine: every reply is compared, and at
/// checkpoints all elements, types and deadlines.
/// </summary>
public sealed class ListStreamTests
{
    private const int CommandsPerCheckpoint = 150;
    private const double SecondsDefault = 4;

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        redis.Call("HELLO", $"{protocol}");
        using var server = new TestServer();
        TestClient ours = server.Connect(protocol: protocol);
        string? given = Environment.GetEnvironmentVariable("CINNABAR_SEED");
        // A landing must not depend on the luck of a draw: CI runs one stream, all others a new one.
        if (string.IsNullOrEmpty(given) && Environment.GetEnvironmentVariable("CI") == "true")
            given = "20261121";
        int seed = string.IsNullOrEmpty(given)
            ? (int)(RandomSource.SystemSeed() & int.MaxValue)
            : int.Parse(given, CultureInfo.InvariantCulture);
        double seconds = double.Parse(
            Environment.GetEnvironmentVariable("CINNABAR_STREAM_SECONDS") ?? $"{SecondsDefault}",
            CultureInfo.InvariantCulture);
        var stream = new ListStream(seed);
        var recent = new Queue<string>();
        var clock = Stopwatch.StartNew();
        for (int count = 1; clock.Elapsed.TotalSeconds < seconds; count++)
        {
            string[] words = stream.Next();
            recent.Enqueue(string.Join(' ', words.Select(Shortened)));
            if (recent.Count > 40)
                recent.Dequeue();
            Compare(redis, ours, words, seed, recent);
            if (count % CommandsPerCheckpoint == 0)
                CompareContents(redis, ours, seed, recent);
        }
    }

    private static void CompareContents(RespClient redis, TestClient ours, int seed, Queue<string> recent)
    {
        redis.Call("DISCARD");
        ours.Call("DISCARD");
        for (int number = 0; number < ListStream.KeyCount; number++)
        {
            string key = ListStream.KeyName(number);
            Compare(redis, ours, ["TYPE", key], seed, recent);
            Compare(redis, ours, ["LRANGE", key, "0", "-1"], seed, recent);
            Compare(redis, ours, ["LLEN", key], seed, recent);
            Compare(redis, ours, ["EXPIRETIME", key], seed, recent);
        }
    }

    private static void Compare(
        RespClient redis, TestClient ours, string[] words, int seed, Queue<string> recent)
    {
        string expected = redis.Call(words).ToString();
        string actual = ours.Call(words).ToString();
        if (expected != actual)
        {
            Assert.Fail($"Replay with CINNABAR_SEED={seed}.\n{string.Join('\n', recent)}\n"
                + $"{Shortened(string.Join(' ', words))}\nredis: {expected}\nours:  {actual}");
        }
    }

    private static string Shortened(string word) =>
        word.Length <= 60 ? word : $"{word[..20]}...({word.Length})";
}
