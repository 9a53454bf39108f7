using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>KEYS and SCAN: errors as Redis 8 has them, and the guarantee of a walk.</summary>
public sealed class ScanCommandsTests
{
    [Fact]
    public void PatternsAndCursors() => DataCommands.Play("""
        KEYS * => *[]
        SET "" v
        KEYS * => *[$""]
        KEYS ** => *[]
        KEYS "" => *[$""]
        SCAN 0 => *[$"0", *[$""]]
        SCAN 00 => *[$"0", *[$""]]
        SCAN +0 => *[$"0", *[$""]]
        SCAN \s0 => *[$"0", *[$""]]
        SCAN -0 => *[$"0", *[$""]]
        SCAN 0 MATCH * => *[$"0", *[$""]]
        SCAN 0 MATCH ** => *[$"0", *[]]
        SCAN 18446744073709551615 => *[$"0", *[]]
        SCAN -9223372036854775809 => *[$"0", *[]]
        SCAN 70368744177664 => *[$"0", *[]]
        SET hello v
        DEL ""
        KEYS h[ae]llo => *[$"hello"]
        KEYS hall? => *[]
        SCAN 0 MATCH x MATCH h* COUNT 5 COUNT 100 => *[$"0", *[$"hello"]]
        SCAN 0 TYPE STRING COUNT 100 => *[$"0", *[$"hello"]]
        SCAN 0 TYPE hash COUNT 100 => *[$"0", *[]]
        SCAN 0 TYPE nonsense COUNT 100 => *[$"0", *[]]
        SCAN 0 COUNT 9223372036854775807 => *[$"0", *[$"hello"]]
        @select 1
        KEYS * => *[]
        SCAN 0 => *[$"0", *[]]
        @select 0
        PEXPIRE hello 1
        @advance 1
        KEYS * => *[]
        SCAN 0 COUNT 100 => *[$"0", *[]]
        """);

    [Fact]
    public void ErrorsInOrder() => DataCommands.Play("""
        SCAN abc COUNT abc => -ERR invalid cursor
        SCAN "" => -ERR invalid cursor
        SCAN \s => -ERR invalid cursor
        SCAN -1 => -ERR invalid cursor
        SCAN -9223372036854775808 => -ERR invalid cursor
        SCAN 0\s => -ERR invalid cursor
        SCAN - => -ERR invalid cursor
        SCAN 0x0 => -ERR invalid cursor
        SCAN 18446744073709551616 => -ERR invalid cursor
        SCAN 0 COUNT abc => -ERR value is not an integer or out of range
        SCAN 0 COUNT 9223372036854775808 => -ERR value is not an integer or out of range
        SCAN 0 COUNT 0 FOO => -ERR syntax error
        SCAN 0 COUNT -1 => -ERR syntax error
        SCAN 0 COUNT => -ERR syntax error
        SCAN 0 MATCH => -ERR syntax error
        SCAN 0 TYPE => -ERR syntax error
        SCAN 0 FOO BAR => -ERR syntax error
        SCAN 0 NOVALUES COUNT x => -ERR NOVALUES option can only be used in HSCAN
        SCAN 0 COUNT x NOVALUES => -ERR value is not an integer or out of range
        SCAN 0 noscores => -ERR NOSCORES option can only be used in ZSCAN
        """);

    [Fact]
    public void BigWalksLeaveTheLoop()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int index = 0; index < 6000; index++)
            harness.Run($"SET key:{index} v");
        harness.Run("SCAN 0 COUNT 1000");
        Assert.Equal(0, harness.SlowLaneCount);
        Assert.StartsWith("*6000\r\n", harness.Run("KEYS *"));
        Assert.Equal(1, harness.SlowLaneCount);
        Assert.Contains("*6000\r\n", harness.Run("SCAN 0 COUNT 1000000"));
        Assert.Equal(2, harness.SlowLaneCount);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(300)]
    [InlineData(8000)]
    public void AWalkOverWhatRestsMeetsEachKeyOnce(int keyCount)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int index = 0; index < keyCount; index++)
            harness.Run($"SET key:{index} v");
        HashSet<string> met = [];
        ulong cursor = 0;
        do
        {
            cursor = Step(harness, cursor, 7, out List<string> keys);
            Assert.True(cursor < 1UL << 46);
            Assert.True(cursor == 0 || keys.Count >= 7);
            foreach (string key in keys)
                Assert.True(met.Add(key), key);
        }
        while (cursor != 0);
        Assert.Equal(keyCount, met.Count);
    }

    [Fact]
    public void WhatStaysIsMetHoweverOthersComeAndGo() => Seeded.Run(4, seed =>
    {
        using CommandHarness harness = DataCommands.NewHarness();
        var random = new RandomSource(seed);
        const int stayingCount = 500;
        for (int index = 0; index < stayingCount; index++)
            harness.Run($"SET stay:{index} v");
        for (int round = 0; round < 6; round++)
        {
            HashSet<string> met = [];
            ulong cursor = 0;
            do
            {
                cursor = Step(harness, cursor, 1 + (int)random.NextBelow(60), out List<string> keys);
                met.UnionWith(keys);
                Churn(harness, ref random);
            }
            while (cursor != 0);
            for (int index = 0; index < stayingCount; index++)
                Assert.Contains($"stay:{index}", met);
        }
    });

    private static void Churn(CommandHarness harness, ref RandomSource random)
    {
        // Bursts that make the tables grow and shrink between two calls.
        bool isGrowing = random.NextBelow(2) == 0;
        for (int index = (int)random.NextBelow(300); index > 0; index--)
        {
            ulong key = random.NextBelow(3000);
            harness.Run(isGrowing ? $"SET pass:{key} v" : $"DEL pass:{key} pass:{key + 1} pass:{key + 2}");
        }
    }

    private static ulong Step(CommandHarness harness, ulong cursor, int count, out List<string> keys)
    {
        byte[] reply = harness.RunBytes(
            "SCAN"u8.ToArray(), Encoding.Latin1.GetBytes(cursor.ToString(CultureInfo.InvariantCulture)),
            "COUNT"u8.ToArray(), Encoding.Latin1.GetBytes(count.ToString(CultureInfo.InvariantCulture)));
        string[] lines = Encoding.Latin1.GetString(reply).Split("\r\n");
        keys = [];
        for (int index = 5; index < lines.Length - 1; index += 2)
            keys.Add(lines[index]);
        Assert.Equal($"*{keys.Count}", lines[3]);
        return ulong.Parse(lines[2], CultureInfo.InvariantCulture);
    }
}
