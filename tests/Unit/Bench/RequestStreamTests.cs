using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

/// <summary>The requests that options describe, read back from the bytes.</summary>
public sealed class RequestStreamTests
{
    [Fact]
    public void TheUsualPairComesInItsExactRatio()
    {
        var requests = Write(new LoadOptions { Data = DataSizes.Fixed(5) }, 1100);
        Assert.Equal(100, requests.Count(request => request[0] == "SET"));
        Assert.Equal(1000, requests.Count(request => request[0] == "GET"));
        foreach (string[] request in requests)
        {
            Assert.Matches("^key:[0-9]{12}$", request[1]);
            Assert.True(long.Parse(request[1][4..]) <= 999_999);
            if (request[0] == "SET") Assert.Equal(["xxxxx"], request[2..]);
        }
        Assert.True(requests.Select(request => request[1]).Distinct().Count() > 1000);
    }

    [Fact]
    public void ARatioIsSpreadEvenly()
    {
        var cycle = new CommandCycle([2, 4]);
        Assert.Equal([1, 0, 1], Enumerable.Range(0, cycle.Size).Select(place => cycle[place]));
        Assert.Throws<LoadException>(() => new CommandCycle([0, 0]));
        Assert.Throws<LoadException>(() => new CommandCycle([1, 1_000_003]));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ClientsBeginWithTheFirstCommandWhereItMatters(bool beginsWithFirst)
    {
        var options = new LoadOptions
        {
            Commands = [.. new[] { "MULTI", "PING", "EXEC" }.Select(name => CommandTemplate.Parse(name))],
            BeginsWithFirst = beginsWithFirst,
        };
        using var plan = new RequestPlan(options);
        var starts = Enumerable.Range(0, 50)
            .Select(client => new RequestStream(plan, client, 50, (ulong)client).Start);
        Assert.Equal(beginsWithFirst ? [0] : [0, 1, 2], starts.Distinct().Order());
    }

    [Fact]
    public void EveryPlaceIsDrawnAnew()
    {
        var options = new LoadOptions
        {
            Commands = [CommandTemplate.Parse("MSET __key__ __data__ a:__key__:b "
                + "'__rand_int__ and __data__'")],
            Keys = new KeySpace { Prefix = "p-", Minimum = 1, Maximum = 120_000, Width = 0 },
            Data = DataSizes.Range(0, 300),
        };
        var requests = Write(options, 500);
        foreach (string[] request in requests)
        {
            Assert.Equal(5, request.Length);
            Assert.Matches("^p-[1-9][0-9]*$", request[1]);
            Assert.Matches("^x*$", request[2]);
            Assert.Matches("^a:p-[1-9][0-9]*:b$", request[3]);
            Assert.Matches("^[0-9]{12} and x*$", request[4]);
        }
        Assert.True(requests.Count(request => request[3] == $"a:{request[1]}:b") < 10);
        Assert.Equal(0, requests.Min(request => request[2].Length));
        Assert.InRange(requests.Average(request => request[2].Length), 130, 170);
        Assert.InRange(requests.Max(request => request[2].Length), 290, 300);
    }

    [Theory]
    [InlineData("get __key__", "set __key__ value", 1)]
    [InlineData("mset a:__key__ __rand_int__ b __key__", "ping", 7)]
    [InlineData("set __key__ __data__", "get __key__", 30)]
    public unsafe void PreparedBatchesAreWhatWouldBeWritten(string first, string second, int depth)
    {
        var options = new LoadOptions
        {
            Commands = [CommandTemplate.Parse(first, 3), CommandTemplate.Parse(second, 2)],
            Keys = new KeySpace { Minimum = 5, Maximum = 20_000_000_000 },
            Data = DataSizes.Fixed(100),
        };
        using var plan = new RequestPlan(options);
        using PreparedBatches? batches = PreparedBatches.Of(plan, depth);
        Assert.NotNull(batches);
        var written = new RequestStream(plan, client: 0, clientCount: 1, options.Seed);
        var filled = new RequestStream(plan, client: 0, clientCount: 1, options.Seed);
        byte[] buffer = new byte[plan.RequestSizeMax * depth];
        for (int round = 0; round < 50; round++)
        {
            PreparedBatch batch = filled.Fill(batches);
            fixed (byte* target = buffer)
            {
                int size = (int)(written.Write(target, depth) - target);
                var expected = new ReadOnlySpan<byte>(target, size);
                Assert.Equal(expected, new ReadOnlySpan<byte>(batch.Data, batch.Size));
            }
        }
    }

    [Fact]
    public void OnlySmallRequestsOfOneSizeArePrepared()
    {
        var options = new LoadOptions { Commands = [CommandTemplate.Set()], Data = DataSizes.Fixed(100) };
        AssertPrepared(true, options);
        AssertPrepared(false, options with { Data = DataSizes.Range(1, 100) });
        AssertPrepared(false, options with { Data = DataSizes.Fixed(100_000) });
        AssertPrepared(false, options with { IsRandomData = true });
        AssertPrepared(false, options with { Keys = new KeySpace { Width = 0 } });
    }

    private static void AssertPrepared(bool expected, LoadOptions options)
    {
        using var plan = new RequestPlan(options);
        using PreparedBatches? batches = PreparedBatches.Of(plan, 30);
        Assert.Equal(expected, batches is not null);
    }

    [Fact]
    public void SizesHaveTheirWeights()
    {
        var options = new LoadOptions
        {
            Commands = [CommandTemplate.Set()],
            Data = DataSizes.List([(10, 3), (100, 1)]),
        };
        var sizes = Write(options, 4000).Select(request => request[2].Length).ToList();
        Assert.Equal([10, 100], sizes.Distinct().Order());
        Assert.InRange(sizes.Count(size => size == 10), 2900, 3100);
    }

    [Fact]
    public void RandomValuesDifferAndAreReproducible()
    {
        var options = new LoadOptions
        {
            Commands = [CommandTemplate.Set()],
            Data = DataSizes.Fixed(40),
            IsRandomData = true,
        };
        var values = Write(options, 200).Select(request => request[2]).ToList();
        Assert.True(values.Distinct().Count() > 190);
        Assert.Equal(values, Write(options, 200).Select(request => request[2]));
        Assert.NotEqual(values, Write(options with { Seed = 7 }, 200).Select(request => request[2]));
    }

    [Fact]
    public void SeedsAreEachClientsOwn()
    {
        var options = new LoadOptions { Commands = [CommandTemplate.Get()] };
        using var plan = new RequestPlan(options);
        Assert.NotEqual(Read(new RequestStream(plan, 0, 2, 1), plan, 50),
            Read(new RequestStream(plan, 1, 2, 2), plan, 50));
        Assert.Equal(Read(new RequestStream(plan, 0, 2, 1), plan, 50),
            Read(new RequestStream(plan, 1, 2, 1), plan, 50));
    }

    [Fact]
    public void KeysMayHaveAnyLength()
    {
        foreach (int width in new[] { 0, 1, 8, 9, 16, 17, 19 })
        {
            var options = new LoadOptions
            {
                Commands = [CommandTemplate.Get(1, KeyPattern.Sequential)],
                Keys = new KeySpace { Prefix = "", Minimum = 8, Maximum = 12, Width = width },
            };
            string[] wanted = [.. new[] { 8, 9, 10, 11, 12, 8 }
                .Select(key => key.ToString().PadLeft(width, '0'))];
            Assert.Equal(wanted, Write(options, 6).Select(request => request[1]));
        }
        var long19 = new LoadOptions
        {
            Commands = [CommandTemplate.Get(1, KeyPattern.Sequential)],
            Keys = new KeySpace { Prefix = "", Minimum = long.MaxValue - 1, Maximum = long.MaxValue - 1 },
        };
        Assert.Equal("9223372036854775806", Write(long19, 1)[0][1]);
    }

    [Theory]
    [InlineData("set a b", "set|a|b")]
    [InlineData("  'a b' \"c d\"e ''", "a b|c de|")]
    [InlineData("\"\\x41\\n\\\"\\\\\" \\x41", "A\n\"\\|\\x41")]
    public void LinesAreSplitIntoWords(string line, string words) =>
        Assert.Equal(words.Split('|'), CommandTemplate.SplitWords(line));

    [Theory]
    [InlineData("")]
    [InlineData("   ")]
    [InlineData("set 'a")]
    public void LinesThatAreNoCommandAreRefused(string line) =>
        Assert.Throws<LoadException>(() => CommandTemplate.Parse(line));

    private static List<string[]> Write(LoadOptions options, int count)
    {
        using var plan = new RequestPlan(options);
        return Read(new RequestStream(plan, 0, 1, options.Seed), plan, count);
    }

    // SAFETY: the buffer holds count requests of the plan's largest size.
    private static unsafe List<string[]> Read(RequestStream stream, RequestPlan plan, int count)
    {
        var buffer = new byte[plan.RequestSizeMax * count];
        int size;
        fixed (byte* start = buffer) size = (int)(stream.Write(start, count) - start);
        string text = Encoding.Latin1.GetString(buffer, 0, size);
        var requests = new List<string[]>();
        int at = 0;
        while (at < text.Length)
        {
            var request = new string[Length('*')];
            for (int index = 0; index < request.Length; index++)
            {
                int length = Length('$');
                request[index] = text.Substring(at, length);
                Assert.Equal("\r\n", text.Substring(at + length, 2));
                at += length + 2;
            }
            requests.Add(request);
        }
        Assert.Equal(count, requests.Count);
        return requests;

        int Length(char type)
        {
            Assert.Equal(type, text[at]);
            int end = text.IndexOf("\r\n", at, StringComparison.Ordinal);
            int length = int.Parse(text[(at + 1)..end]);
            at = end + 2;
            return length;
        }
    }
}
