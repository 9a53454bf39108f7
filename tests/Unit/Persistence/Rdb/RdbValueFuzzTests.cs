using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Durability;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>Values that were damaged are refused, and leave nothing behind, or are values that commands can
/// read; memory stays within a factor of the input. Open-ended with CINNABAR_TEST_SECONDS and
/// CINNABAR_INPUTS.</summary>
public sealed class RdbValueFuzzTests
{
    private const int TestPart = 20;
    private const int RoundsAtLeast = 3000;

    private static readonly RdbType[] s_types = [.. Enum.GetValues<RdbType>().Where(
        type => type is not (RdbType.Module2 or RdbType.ModulePreGa))];

    [Fact]
    public void DamagedValuesAreRefusedOrReadable()
    {
        long until = Stopwatch.GetTimestamp() + Seconds() * Stopwatch.Frequency;
        Seeded.RunWhile(HasNext, seed =>
        {
            var random = new Random((int)seed);
            using CommandHarness harness = DataCommands.NewHarness();
            int refused = 0;
            for (int round = 0; round < RoundsAtLeast; round++)
            {
                RdbType type = s_types[random.Next(s_types.Length)];
                byte[] bytes = Damaged(random, Written(random, type));
                if (random.Next(20) == 0)
                    type = s_types[random.Next(s_types.Length)];
                using var loader = new RdbValueLoader(harness.Execution.Keys);
                refused += Try(harness, loader, type, bytes) ? 0 : 1;
            }

            Assert.InRange(refused, RoundsAtLeast / 4, RoundsAtLeast - 1);
        });
        bool HasNext(int round) =>
            Stopwatch.GetTimestamp() < until || (long)round * RoundsAtLeast < AskedCounts.Inputs;
    }

    private static bool Try(CommandHarness harness, RdbValueLoader loader, RdbType type, byte[] bytes)
    {
        MemoryBound bound = MemoryBound.Begin(harness.Keyspace.Pages);
        bool isLoaded = TryLoad(harness, loader, type, bytes);
        bound.AssertKept(bytes.Length, loader.BufferBytesMax);
        Assert.Equal(isLoaded ? ":1\r\n" : ":0\r\n", harness.Run("DBSIZE"));
        if (isLoaded)
        {
            Use(harness);
            harness.Run("FLUSHALL");
        }

        Skip(type, bytes);
        return isLoaded;
    }

    private static bool TryLoad(CommandHarness harness, RdbValueLoader loader, RdbType type, byte[] bytes)
    {
        try
        {
            LoadedKey.Load(harness, loader, type, bytes, isWhole: false);
            return true;
        }
        catch (RdbFormatException)
        {
            return false;
        }
    }

    private static void Use(CommandHarness harness)
    {
        string[] commands = harness.Run("TYPE K") switch
        {
            "+string\r\n" => ["GET K", "APPEND K x"],
            "+list\r\n" => ["LRANGE K 0 -1", "LINDEX K -1", "LPOS K x", "RPUSH K x", "LPOP K 2"],
            "+set\r\n" => ["SMEMBERS K", "SISMEMBER K 1", "SADD K x 1", "SPOP K 2"],
            "+zset\r\n" =>
                ["ZRANGE K 0 -1 WITHSCORES", "ZRANK K x", "ZADD K 1 x 1.5 1", "ZPOPMIN K", "ZPOPMAX K"],
            "+hash\r\n" => ["HGETALL K", "HGET K x", "HSET K x 1 1 x", "HDEL K x", "HPEXPIRE K 5 FIELDS 1 1"],
            _ =>
            [
                "XRANGE K - +", "XREVRANGE K + -", "XINFO STREAM K FULL COUNT 0", "XINFO GROUPS K",
                "XADD K * a b", "XTRIM K MAXLEN 2", "XGROUP CREATE K new 0",
                "XREADGROUP GROUP new c COUNT 5 STREAMS K >",
            ],
        };
        foreach (string command in commands)
            Assert.NotEmpty(harness.Run(command));
    }

    private static void Skip(RdbType type, byte[] bytes)
    {
        try
        {
            var cursor = new RdbCursor(bytes);
            RdbValueSkipper.Skip(ref cursor, type);
        }
        catch (RdbFormatException)
        {
            // The bytes are damaged.
        }
    }

    private static byte[] Written(Random random, RdbType type) => type is RdbType.StreamListpacks
        or RdbType.StreamListpacks2 or RdbType.StreamListpacks3 or RdbType.StreamListpacks4
            ? new RandomStream(random, type).ToArray()
            : new RandomValue(random, type).ToArray();

    private static byte[] Damaged(Random random, byte[] bytes)
    {
        byte[] damaged = [.. bytes];
        for (int left = random.Next(4); left > 0 && damaged.Length > 0; left--)
        {
            int at = random.Next(random.Next(3) == 0 ? Math.Min(damaged.Length, 40) : damaged.Length);
            switch (random.Next(6))
            {
                case 0:
                    damaged[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    damaged[at] = (byte)random.Next(256);
                    break;
                case 2:
                    damaged[at] = new byte[] { 0, 0xFF, 0x80, 0x81, 0xC3, 0x7F, 0xFE }[random.Next(7)];
                    break;
                case 3:
                    damaged = damaged[..at];
                    break;
                case 4:
                    damaged = [.. damaged[..at], .. damaged[random.Next(damaged.Length)..]];
                    break;
                default:
                    damaged = [.. damaged[..at], (byte)random.Next(256), .. damaged[at..]];
                    break;
            }
        }

        return damaged;
    }

    private static long Seconds() =>
        Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS") is { Length: > 0 } text
            ? (long)double.Parse(text, CultureInfo.InvariantCulture) / TestPart
            : 0;
}
