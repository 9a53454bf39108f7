using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Hashes;

/// <summary>The commands of Redis 7.0 on hashes: replies, encodings, changes and events.</summary>
public sealed class HashCommandsTests
{
    private const int BigCount = 2000;

    [Fact]
    public void FieldsAreWrittenReadAndRemoved() => DataCommands.Play("""
        HSET h a 1 b two => :2
        @changes => 2
        @events => HashSet h
        HSET h a 3 c "" => :1
        HGET h a => $"3"
        HGET h c => $""
        HGET h d => $-1
        HMGET h b nope a => *[$"two", $-1, $"3"]
        HGETALL h => *[$"a", $"3", $"b", $"two", $"c", $""]
        HKEYS h => *[$"a", $"b", $"c"]
        HVALS h => *[$"3", $"two", $""]
        HLEN h => :3
        HEXISTS h b => :1
        HEXISTS h nope => :0
        HSTRLEN h b => :3
        HSTRLEN h nope => :0
        HSETNX h a 9 => :0
        @changes => 0
        HSETNX h d 9 => :1
        HMSET h e 5 => +OK
        OBJECT ENCODING h => $"listpack"
        @events => HashSet h, HashSet h, HashSet h
        HDEL h a nope b => :2
        @changes => 2
        HDEL h c d e c => :3
        @events => HashDeleted h, HashDeleted h, Deleted h
        EXISTS h => :0
        HLEN h => :0
        HGETALL h => *[]
        HSETNX n f v => :1
        TYPE n => +hash
        @resp 3
        HGETALL n => %[$"f", $"v"]
        HGETALL nokey => %[]
        HGET n nope => _
        """);

    [Fact]
    public void WrongUsesAreRefused() => DataCommands.Play("""
        SET s v
        HSET h a => -ERR wrong number of arguments for 'hset' command
        HMSET h a 1 b => -ERR wrong number of arguments for 'hmset' command
        HSET s a 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        HGET s a => -WRONGTYPE Operation against a key holding the wrong kind of value
        HDEL s a => -WRONGTYPE Operation against a key holding the wrong kind of value
        HGETALL s => -WRONGTYPE Operation against a key holding the wrong kind of value
        HINCRBY s a x => -ERR value is not an integer or out of range
        HINCRBYFLOAT s a x => -ERR value is not a valid float
        HINCRBYFLOAT s a inf => -ERR value is NaN or Infinity
        HSCAN s x => -ERR invalid cursor
        HSCAN s 0 => -WRONGTYPE Operation against a key holding the wrong kind of value
        HSCAN nokey 0 nonsense => *[$"0", *[]]
        HSET h a 1
        HSCAN h 0 nonsense => -ERR syntax error
        HSCAN h 0 COUNT 0 => -ERR syntax error
        HRANDFIELD h 1 x => -ERR syntax error
        HRANDFIELD h 4611686018427387904 WITHVALUES => -ERR value is out of range
        EXISTS h => :1
        GET h => -WRONGTYPE Operation against a key holding the wrong kind of value
        SET h v => +OK
        TYPE h => +string
        """);

    [Fact]
    public void FieldsAreNumbers() => DataCommands.Play("""
        HINCRBY h n 5 => :5
        HINCRBY h n -7 => :-2
        @events => HashIncrementBy h, HashIncrementBy h
        HINCRBYFLOAT h n 2.5 => $"0.5"
        HINCRBYFLOAT h f 3.0e3 => $"3000"
        HINCRBY h f 1 => :3001
        HINCRBY h n 1 => -ERR hash value is not an integer
        HSET h max 9223372036854775807 text x
        HINCRBY h max 1 => -ERR increment or decrement would overflow
        HINCRBY h text 1 => -ERR hash value is not an integer
        HINCRBYFLOAT h text 1 => -ERR hash value is not a float
        HSET h inf inf
        HINCRBYFLOAT h inf 1 => -ERR increment would produce NaN or Infinity
        """);

    [Fact]
    public void HashesGrowIntoTables() => DataCommands.Play($"""
        HSET h a {new string('x', 64)}
        OBJECT ENCODING h => $"listpack"
        HSET h b {new string('x', 65)} 17 18
        OBJECT ENCODING h => $"hashtable"
        HLEN h => :3
        HGET h 17 => $"18"
        HINCRBY h 17 1 => :19
        HSETNX h 17 1 => :0
        COPY h copy => :1
        HDEL h a b 17 => :3
        EXISTS h => :0
        HGET copy 17 => $"19"
        RENAME copy h => +OK
        HSTRLEN h b => :65
        MOVE h 1 => :1
        @select 1
        HLEN h => :3
        SET h v => +OK
        """);

    [Theory]
    [InlineData(20)]
    [InlineData(BigCount)]
    public void RandomFieldsAreThoseOfTheHash(int count)
    {
        using CommandHarness harness = NewHarness(count);
        string[] some = Words(harness, "HRANDFIELD h 7");
        Assert.Equal(7, some.Distinct().Count());
        Assert.Equal(count, Words(harness, $"HRANDFIELD h {count + 5}").Distinct().Count());
        Assert.Equal(count - 1, Words(harness, $"HRANDFIELD h {count - 1}").Distinct().Count());
        Assert.Equal(3 * count, Words(harness, $"HRANDFIELD h -{3 * count}").Length);
        string[] pairs = Words(harness, "HRANDFIELD h -40 WITHVALUES");
        Assert.Equal(80, pairs.Length);
        foreach (string[] pair in pairs.Chunk(2))
            Assert.Equal(pair[0].Replace("field", "value", StringComparison.Ordinal), pair[1]);
        Assert.Contains(Words(harness, "HRANDFIELD h")[0], Words(harness, "HKEYS h"));
        Assert.Equal("*[]", Transcript.Run(harness, "HRANDFIELD h 0"));
        Assert.Equal("$-1", Transcript.Run(harness, "HRANDFIELD nokey"));
        Assert.Equal("*[]", Transcript.Run(harness, "HRANDFIELD nokey 3"));
        harness.Protocol = 3;
        Assert.StartsWith("*[*[$\"field", Transcript.Run(harness, "HRANDFIELD h 2 WITHVALUES"),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(BigCount)]
    public void RandomFieldsAreEquallyLikely(int count)
    {
        using CommandHarness harness = NewHarness(count);
        var counts = new Dictionary<string, int>();
        // 40 picks a field: the count of one lies between 5 and 120 but in one of 10^8 runs.
        foreach (string field in Words(harness, $"HRANDFIELD h -{40 * count}"))
            counts[field] = counts.GetValueOrDefault(field) + 1;
        Assert.Equal(count, counts.Count);
        Assert.All(counts.Values, static picked => Assert.InRange(picked, 5, 120));
    }

    [Theory]
    [InlineData(20)]
    [InlineData(BigCount)]
    public void AScanSeesAllFields(int count)
    {
        using CommandHarness harness = NewHarness(count);
        List<string> seen = [];
        string cursor = "0";
        int calls = 0;
        do
        {
            string[] words = Words(harness, $"HSCAN h {cursor} COUNT 50");
            cursor = words[0];
            Assert.InRange(double.Parse(cursor, CultureInfo.InvariantCulture), 0, 1L << 53);
            foreach (string[] pair in words.Skip(1).Chunk(2))
            {
                seen.Add(pair[0]);
                Assert.Equal(pair[0].Replace("field", "value", StringComparison.Ordinal), pair[1]);
            }

            calls++;
        }
        while (cursor != "0");
        Assert.Equal(count, seen.Distinct().Count());
        Assert.Equal(count > 512, calls > 1);
        string[] some = Words(harness, "HSCAN h 0 COUNT 100000 NOVALUES MATCH field1?");
        Assert.Equal(11, some.Length);
    }

    private static CommandHarness NewHarness(int count)
    {
        CommandHarness harness = DataCommands.NewHarness();
        for (int number = 0; number < count; number++)
            harness.RunWords("HSET", "h", $"field{number}", $"value{number}");
        return harness;
    }

    // The bulk strings of a reply.
    private static string[] Words(CommandHarness harness, string command) =>
        [.. Transcript.Run(harness, command).Split('"').Where(static (_, index) => index % 2 == 1)];
}
