using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Sorting;

/// <summary>What SORT declares, and what the oracle leaves open.</summary>
public sealed class SortCommandsTests
{
    [Fact]
    public void ChangesAreDeclared() => DataCommands.Play("""
        RPUSH l 3 1 2 => :3
        SET d text EX 100 => +OK
        @events
        SORT l STORE d => :3
        @changes => 3
        @events => SortStore d
        TYPE d => +list
        TTL d => :-1
        SORT l LIMIT 5 1 STORE d => :0
        @changes => 1
        @events => Deleted d
        SORT missing STORE d => :0
        @changes => 0
        SORT l STORE l => :3
        LRANGE l 0 -1 => *[$"1", $"2", $"3"]
        """);

    [Theory]
    [InlineData("1 2 3", "", 1)]
    [InlineData("1 2 3", "DESC LIMIT 0 1", 1)]
    [InlineData("b c a", "ALPHA", 1)]
    [InlineData("1.5 2 3", "", 1)]
    [InlineData("1 2 3", "BY w_*", 1)]
    [InlineData("1 2 3", "GET #", 1)]
    [InlineData("1 2 3", "BY w_* GET o_* LIMIT 1 1", 1)]
    [InlineData("1 2 3", "STORE d", 1)]
    [InlineData("b c a", "ALPHA STORE d", 1)]
    [InlineData("1 2 3", "BY w_* STORE d", 0)]
    [InlineData("1 2 3", "GET long_*", 0)]
    public void KeysAreReleasedWhereTheyAreNotNeededAnyMore(string elements, string options, int count)
    {
        using CommandHarness harness = DataCommands.NewHarness(losesReleased: true);
        harness.Run($"RPUSH l {elements}");
        harness.Run($"SET long_3 {new string('x', 70_000)}");
        harness.Run($"SORT l {options}".TrimEnd());
        Assert.Equal(count, harness.ReleaseCount);
    }

    [Fact]
    public void TiesKeepTheirOrderInBothDirections() => DataCommands.Play("""
        RPUSH l c a b => :3
        MSET w_a x w_b x => +OK
        SORT l BY w_* ALPHA => *[$"c", $"a", $"b"]
        SORT l BY w_* ALPHA DESC => *[$"a", $"b", $"c"]
        SORT l BY none_* ALPHA DESC => *[$"c", $"a", $"b"]
        SORT l BY none_* => *[$"a", $"b", $"c"]
        SORT l BY none_* DESC => *[$"c", $"b", $"a"]
        """);

    [Theory]
    [InlineData("1e400")]
    [InlineData("-1e400")]
    [InlineData("1e-400")]
    public void ANumberOfNoSizeIsRefused(string number) => DataCommands.Play($"""
        RPUSH l a b => :2
        MSET w_a 1 w_b {number} => +OK
        SORT l BY w_* => -ERR One or more scores can't be converted into double
        SORT l BY w_* ALPHA LIMIT 0 0 => *[]
        RPUSH m 1 {number} => :2
        SORT m => -ERR One or more scores can't be converted into double
        """);

    [Fact]
    public void ASortedSetKeepsItsEncoding() => DataCommands.Play("""
        ZADD z 3 a 1 b 2 c => :3
        SORT z ALPHA => *[$"a", $"b", $"c"]
        SORT z BY nosort => *[$"b", $"c", $"a"]
        SORT z BY nosort DESC LIMIT 0 2 => *[$"a", $"c"]
        OBJECT ENCODING z => $"listpack"
        """);

    [Fact]
    public void TheResultIsReadBeforeItIsStored() => DataCommands.Play("""
        RPUSH l 2 1 => :2
        MSET v_1 one v_2 v_2 => +OK
        SORT l GET v_* STORE v_2 => :2
        LRANGE v_2 0 -1 => *[$"one", $"v_2"]
        SORT l GET # GET v_* GET none => *[$"1", $"one", $-1, $"2", $-1, $-1]
        """);

    [Fact]
    public void LongElementsAndManyOfThem()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        const int count = 5000;
        string[] elements = [.. Enumerable.Range(1, count).Select(static index =>
        {
            string number = ((long)index * 7919 % count).ToString(CultureInfo.InvariantCulture);
            return index % 500 == 0 ? number + new string('x', 3000) : number;
        })];
        harness.RunWords(["RPUSH", "l", .. elements]);
        string expected = Reply(elements.Order(StringComparer.Ordinal));
        Assert.Equal(expected, harness.RunWords("SORT", "l", "ALPHA"));
        Assert.Equal(1, harness.SlowLaneCount);
    }

    /// <summary>Many numbers, many that are the same, in both directions.</summary>
    [Fact]
    public void ManyNumbers() => Seeded.Run(2, static seed =>
    {
        using CommandHarness harness = DataCommands.NewHarness();
        var random = new Random((int)(seed & int.MaxValue));
        string[] elements = [.. Enumerable.Range(0, 6000).Select(_ => random.Next(3) switch
        {
            0 => random.Next(-50, 50).ToString(CultureInfo.InvariantCulture) + ".0",
            1 => random.Next(-50, 50).ToString(CultureInfo.InvariantCulture),
            _ => random.NextDouble().ToString("R", CultureInfo.InvariantCulture),
        })];
        harness.RunWords(["RPUSH", "l", .. elements]);
        string[] sorted = [.. elements
            .OrderBy(static element => double.Parse(element, CultureInfo.InvariantCulture))
            .ThenBy(static element => element, StringComparer.Ordinal)];
        Assert.Equal(Reply(sorted), harness.RunWords("SORT", "l"));
        Assert.Equal(Reply(sorted.Reverse()), harness.RunWords("SORT", "l", "DESC"));
        // All have the same weight, none.
        string[] byText = [.. elements.Order(StringComparer.Ordinal)];
        Assert.Equal(Reply(byText), harness.RunWords("SORT", "l", "BY", "none_*"));
    });

    [Theory]
    [InlineData(100, 50, false)]
    [InlineData(100, 1L << 53, false)]
    [InlineData(100, long.MaxValue, false)]
    [InlineData(5000, 3000, false)]
    [InlineData(5000, 1L << 53, false)]
    [InlineData(5000, long.MaxValue, false)]
    [InlineData(5000, 3000, true)]
    public void Integers(int count, long bound, bool hasOther) => Seeded.Run(2, seed =>
    {
        using CommandHarness harness = DataCommands.NewHarness();
        var random = new Random((int)(seed & int.MaxValue));
        List<string> elements = [.. Enumerable.Range(1, count).Select(_ =>
            random.NextInt64(-bound, bound).ToString(CultureInfo.InvariantCulture))];
        if (bound == 1L << 53)
            elements.AddRange(["9007199254740992", "9007199254740993", "-9007199254740992"]);
        if (hasOther)
            elements[random.Next(count)] = "00.5e1";
        harness.RunWords(["RPUSH", "l", .. elements]);
        harness.RunWords(["SADD", "s", .. elements]);
        CompareSorts(harness, "s", elements.Distinct());
        CompareSorts(harness, "l", elements);
    });

    [Fact]
    public void MoreThanAReplyMayHaveIsRefused()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        string[] elements = [.. Enumerable.Repeat("1", 1 << 14)];
        for (int turn = 0; turn < 16; turn++)
            harness.RunWords(["RPUSH", "l", .. elements]);
        string[] gets = [.. Enumerable.Repeat("GET #", 1 << 12).SelectMany(static get => get.Split(' '))];
        const string error = "-ERR value is out of range\r\n";
        Assert.Equal(error, harness.RunWords(["SORT", "l", .. gets]));
        Assert.Equal(error, harness.RunWords(["SORT", "l", "STORE", "d", .. gets]));
        Assert.Equal(":0\r\n", harness.RunWords("EXISTS", "d"));
    }

    private static void CompareSorts(CommandHarness harness, string key, IEnumerable<string> elements)
    {
        string[] sorted = [.. elements
            .OrderBy(static element => double.Parse(element, CultureInfo.InvariantCulture))
            .ThenBy(static element => element, StringComparer.Ordinal)];
        Assert.Equal(Reply(sorted), harness.RunWords("SORT", key));
        Assert.Equal(Reply(sorted.Reverse()), harness.RunWords("SORT", key, "DESC"));
        Assert.Equal(Reply(sorted.Skip(7).Take(30)), harness.RunWords("SORT", key, "LIMIT", "7", "30"));
        Assert.Equal(Reply(sorted.Reverse().Skip(7).Take(30)),
            harness.RunWords("SORT", key, "DESC", "LIMIT", "7", "30"));
        Assert.Equal(Reply([]), harness.RunWords("SORT", key, "LIMIT", "7000", "30"));
        Assert.Equal(":30\r\n", harness.RunWords("SORT", key, "LIMIT", "7", "30", "STORE", "d"));
        Assert.Equal(Reply(sorted.Skip(7).Take(30)), harness.RunWords("LRANGE", "d", "0", "-1"));
        Assert.Equal($":{sorted.Length}\r\n", harness.RunWords("SORT", key, "DESC", "STORE", key));
        Assert.Equal(Reply(sorted.Reverse()), harness.RunWords("LRANGE", key, "0", "-1"));
    }

    // More elements than keys are looked for together, and more patterns; keys of all kinds, and none.
    [Fact]
    public void KeysOfManyElementsAreFoundForEachOfThem()
    {
        const int count = 150;
        using CommandHarness harness = DataCommands.NewHarness();
        string longPrefix = new('k', 200);
        string[] elements = [.. Enumerable.Range(1, count).Select(static number => $"{number}")];
        harness.RunWords(["RPUSH", "l", .. elements]);
        foreach (string element in elements.Where(static element => element[^1] != '7'))
        {
            int number = int.Parse(element, CultureInfo.InvariantCulture);
            harness.RunWords("SET", $"w_{element}", number % 3 == 0 ? $"{-number}.5" : $"{-number}");
            harness.RunWords("SET", longPrefix + element, $"long {element}");
            harness.RunWords("HSET", $"h_{element}", "f", number % 2 == 0 ? element : $"{element}.25");
        }

        string[] patterns = ["h_*->f", longPrefix + "*", "w_*", "none_*", "#", "w_*", "h_*->none"];
        string[] gets = [.. patterns.SelectMany(static pattern => new[] { "GET", pattern })];
        foreach ((string by, string direction) in new[] { ("w_*", "DESC"), ("h_*->f", "ASC") })
        {
            // Elements without a key count as 0 and are ordered by their text.
            string[] zeroes = [.. elements.Where(static element => element[^1] == '7')];
            IEnumerable<string> first = direction == "ASC"
                ? zeroes.Order(StringComparer.Ordinal) : zeroes.OrderDescending(StringComparer.Ordinal);
            string[] sorted = [.. first, .. elements.Except(zeroes)];
            Assert.Equal(Reply(sorted), harness.RunWords("SORT", "l", "BY", by, direction));
            string wanted = $"*{count * patterns.Length}\r\n" + string.Concat(sorted.Select(element =>
                string.Concat(patterns.Select(pattern => Lookup(harness, pattern, element)))));
            Assert.Equal(wanted, harness.RunWords(["SORT", "l", "BY", by, direction, .. gets]));
            harness.RunWords(["SORT", "l", "BY", by, direction, .. gets, "STORE", "d"]);
            Assert.Equal(wanted.Replace("$-1\r\n", "$0\r\n\r\n", StringComparison.Ordinal),
                harness.RunWords("LRANGE", "d", "0", "-1"));
        }
    }

    private static string Lookup(CommandHarness harness, string pattern, string element)
    {
        if (pattern == "#")
            return $"${element.Length}\r\n{element}\r\n";
        string[] parts = pattern.Replace("*", element, StringComparison.Ordinal).Split("->");
        return harness.RunWords(parts.Length == 2 ? ["HGET", .. parts] : ["GET", parts[0]]);
    }

    private static string Reply(IEnumerable<string> elements)
    {
        string[] all = [.. elements];
        return $"*{all.Length}\r\n" + string.Concat(all.Select(static element =>
            $"${element.Length}\r\n{element}\r\n"));
    }
}
