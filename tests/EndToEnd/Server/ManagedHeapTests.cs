using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>What clients make the server keep on the managed heap counts as used memory, so that maxmemory
/// and maxmemory-clients bound it. In a process of its own: the heap is the process's.</summary>
public sealed class ManagedHeapTests
{
    private const int ClientCount = 4;
    private const int RoundCount = 25;
    private const int RoundCountMax = 1000;
    private const int PartCount = 1000;
    private const int GrowthBytesMin = 1 << 20;
    private const int HangMs = 300_000;

    // What the collector has not collected yet.
    private const long SlackBytes = 12 << 20;
    private const double CountedFactor = 1.5;
    private const long ClientLimitBytes = 8 << 20;

    /// <summary>Each way to fill the heap.</summary>
    public static TheoryData<string> Ways =>
        ["watch", "longwatch", "subscribe", "psubscribe", "ssubscribe", "name", "prefix", "multi", "block"];

    [Theory]
    [MemberData(nameof(Ways))]
    [InlineData("script")]
    [InlineData("function")]
    public void WhatIsKeptIsCounted(string way)
    {
        using var server = new OwnServer(2);
        using RespClient admin = server.Connect();
        FillOnce(server.Connect(), way, 0, -1);
        long used = FieldOf(admin, "used_memory");
        long managed = FieldOf(admin, "cinnabar_managed_memory");
        for (int number = 1; number <= ClientCount; number++)
        {
            RespClient client = server.Connect();
            for (int round = 0; round < RoundCount; round++)
                FillOnce(client, way, number, round);
        }

        // Nothing replies to a BLPOP that waits, so the server may have yet to read it.
        long usedGrowth = 0;
        SpinWait.SpinUntil(
            () => (usedGrowth = FieldOf(admin, "used_memory") - used) >= GrowthBytesMin, HangMs);
        long managedGrowth = FieldOf(admin, "cinnabar_managed_memory") - managed;
        Assert.InRange(usedGrowth, GrowthBytesMin, long.MaxValue);
        Assert.InRange(managedGrowth, long.MinValue, (long)(CountedFactor * usedGrowth) + SlackBytes);
    }

    /// <summary>A client that goes on with it is disconnected, and then nothing of it counts.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public void AClientThatKeepsTooMuchIsDisconnected(string way)
    {
        using var server = new OwnServer(1, ("maxmemory-clients", $"{ClientLimitBytes}"));
        using RespClient admin = server.Connect();
        Assert.Equal("+OK", admin.Run("CLIENT NO-EVICT ON"));
        long used = FieldOf(admin, "used_memory");
        RespClient client = server.Connect();
        for (int round = 0; FieldOf(admin, "evicted_clients", "stats") == 0; round++)
        {
            Assert.InRange(round, 0, RoundCountMax);
            // A client blocks once.
            RespClient filler = way == "block" ? server.Connect() : client;
            Assert.True(TryFill(filler, way, round) || FieldOf(admin, "evicted_clients", "stats") > 0);
        }

        Assert.InRange(FieldOf(admin, "used_memory"), 0, used + (4 * ClientLimitBytes));
    }

    // A client that is disconnected meanwhile gets no reply.
    private static bool TryFill(RespClient client, string way, int round)
    {
        try
        {
            FillOnce(client, way, 1, round);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    // Keeps PartCount small things, or a large one.
    private static void FillOnce(RespClient client, string way, int number, int round)
    {
        string[] names = [.. Enumerable.Range(0, PartCount).Select(part => $"{number}:{round}:{part}")];
        switch (way)
        {
            case "watch" or "subscribe" or "psubscribe" or "ssubscribe":
                client.Send([way, .. names]);
                for (int reply = way == "watch" ? PartCount - 1 : 0; reply < PartCount; reply++)
                    client.Read();
                break;
            case "longwatch":
                Assert.Equal("+OK", client.Call("WATCH", names[0].PadRight(1 << 20, 'w')).ToString());
                break;
            case "name":
                Assert.Equal("+OK", client.Call(
                    "CLIENT", "SETNAME", "n".PadRight(Math.Max(0, round + 1) << 20, 'n')).ToString());
                break;
            case "prefix":
                client.Run("CLIENT TRACKING OFF");
                string[] prefixes = [.. Enumerable.Range(0, Math.Max(0, round + 1)).SelectMany(
                    part => new[] { "PREFIX", $"{number}:{part:D4}".PadRight(256 << 10, 'p') })];
                client.Call(["CLIENT", "TRACKING", "ON", "BCAST", .. prefixes]);
                break;
            case "multi":
                client.Run("MULTI");
                for (int part = 0; part < PartCount; part++)
                    client.Send("PING");
                for (int part = 0; part < PartCount; part++)
                    Assert.Equal("+QUEUED", client.Read().ToString());
                break;
            case "block":
                client.Send(["BLPOP", .. names, "0"]);
                break;
            case "script":
                client.Call("SCRIPT", "LOAD", LongSource($"return {number}{round + 1}", round));
                break;
            case "function":
                client.Call("FUNCTION", "LOAD", $"#!lua name=l{number}_{round + 1}\n" + LongSource(
                    $"redis.register_function('f{number}_{round + 1}', function() return 1 end)", round));
                break;
            default:
                throw new ArgumentException(way, nameof(way));
        }
    }

    private static string LongSource(string end, int round)
    {
        var source = new StringBuilder();
        for (int line = 0; line < PartCount; line++)
            source.Append(CultureInfo.InvariantCulture, $"do local a{line} = {{ '{round}:{line}' }} end\n");
        return source.Append(end).ToString();
    }

    private static long FieldOf(RespClient admin, string field, string section = "memory")
    {
        string info = admin.Call("INFO", section).Text;
        int place = info.IndexOf($"\n{field}:", StringComparison.Ordinal) + field.Length + 2;
        ReadOnlySpan<char> number = info.AsSpan(place, info.IndexOf('\r', place) - place);
        return long.Parse(number, CultureInfo.InvariantCulture);
    }
}
