using System.Collections.Generic;
using System.Linq;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>
/// Since Redis 7.2 it is what a command brings that decides about some encodings, not only what the
/// collection holds then; the oracle is older.
/// </summary>
public sealed class EncodingThresholdTests
{
    [Fact]
    public void ManyFieldsInOneCommandMakeAHashTable()
    {
        using CommandHarness harness = NewHarness();
        Transcript.Play(harness, """
            HSET new a 1 a 2 a 3 a 4 => :1
            @stored new => Listpack
            HSET many a 1 a 2 a 3 a 4 a 5 => :1
            @stored many => HashTable
            HGETALL many => *[$"a", $"5"]
            HMSET new a 1 a 2 a 3 a 4 a 5 => +OK
            @stored new => HashTable
            HSET step a 1 b 2 => :2
            HSET step c 3 d 4 => :2
            @stored step => Listpack
            HSET step e 5 => :1
            @stored step => HashTable
            HSETEX ex FIELDS 4 a 1 a 2 a 3 a 4 => :1
            @stored ex => Listpack
            HSETEX ex EX 100 FIELDS 5 a 1 a 2 a 3 a 4 a 5 => :1
            @stored ex => HashTable
            HTTL ex FIELDS 1 a => *[:100]
            HSETEX ex2 EX 100 FIELDS 1 a 1 => :1
            @stored ex2 => ListpackEx
            HSET ex2 b 1 b 2 b 3 b 4 b 5 => :1
            @stored ex2 => HashTable
            HTTL ex2 FIELDS 2 a b => *[:100, :-1]
            HSETEX ex3 FXX FIELDS 5 a 1 a 2 a 3 a 4 a 5 => :0
            EXISTS ex3 => :0
            """);
    }

    [Fact]
    public void ManyPairsInOneCommandMakeASkipList()
    {
        using CommandHarness harness = NewHarness();
        Transcript.Play(harness, """
            ZADD new 1 a 2 a 3 a 4 a => :1
            @stored new => Listpack
            ZADD new XX 1 b 2 b 3 b 4 b 5 b => :0
            @stored new => SkipList
            ZRANGE new 0 -1 WITHSCORES => *[$"a", $"4"]
            ZADD many 1 a 2 a 3 a 4 a 5 a => :1
            @stored many => SkipList
            ZRANGE many 0 -1 WITHSCORES => *[$"a", $"5"]
            ZADD none XX 1 a 2 b 3 c 4 d 5 e => :0
            EXISTS none => :0
            ZADD step 1 a 2 b => :2
            ZADD step 3 c 4 d => :2
            @stored step => Listpack
            ZADD step 5 e => :1
            @stored step => SkipList
            GEOADD geo 1 1 a 1 2 a 1 3 a 1 4 a => :1
            @stored geo => Listpack
            GEOADD geo 1 1 a 1 2 a 1 3 a 1 4 a 1 5 a => :0
            @stored geo => SkipList
            GEOADD geos 1 1 a 1 2 a 1 3 a 1 4 a 1 5 a => :1
            @stored geos => SkipList
            """);
    }

    // A limit of 0 that came after the set: each command that might add something makes it a skiplist.
    [Fact]
    public void ALimitOfNoneMakesAnExistingSetASkipList()
    {
        using CommandHarness harness = NewHarness();
        harness.Run("ZADD a 1 m");
        harness.Run("ZADD b 1 m");
        harness.Run("ZADD c 1 m");
        harness.Keyspace.Limits.SortedSetListpackEntriesMax = 0;
        Transcript.Play(harness, """
            ZSCORE a m => $"1"
            @stored a => Listpack
            ZADD a 1 m => :0
            @stored a => SkipList
            ZINCRBY b 0 m => $"1"
            @stored b => SkipList
            ZREM c none => :0
            @stored c => Listpack
            ZINCRBY new 2 m => $"2"
            @stored new => SkipList
            """);
    }

    [Fact]
    public void ManyMembersInOneCommandMakeAHashTable()
    {
        using CommandHarness harness = NewHarness();
        harness.Keyspace.Limits.SetIntsetEntriesMax = 6;
        Transcript.Play(harness, """
            SADD ints 1 1 1 1 1 1 => :1
            @stored ints => Intset
            SADD ints 1 1 1 1 1 1 1 => :0
            @stored ints => HashTable
            SADD texts a a a a => :1
            @stored texts => Listpack
            SADD texts a a a a a => :0
            @stored texts => HashTable
            SADD mixed 1 a => :2
            @stored mixed => Listpack
            SADD mixed 1 1 1 1 1 => :0
            @stored mixed => HashTable
            SADD source x => :1
            SMOVE source target x => :1
            @stored target => Listpack
            """);
        // Too many for an intset, but not for a listpack.
        harness.Keyspace.Limits.SetIntsetEntriesMax = 2;
        Transcript.Play(harness, """
            SADD few 1 2 3 => :3
            @stored few => Listpack
            SADD more 1 2 3 4 5 => :5
            @stored more => HashTable
            """);
    }

    // What SINTERSTORE finds is gathered in a listpack unless the smallest set is an intset, and an intset in
    // the end if it may be one; what SUNIONSTORE and SDIFFSTORE find is added to an intset.
    [Fact]
    public void ResultsHaveTheEncodingOfWhatTheyHold()
    {
        using CommandHarness harness = NewHarness();
        harness.Keyspace.Limits.SetIntsetEntriesMax = 2;
        Transcript.Play(harness, """
            SADD big 1 2 3 4 5 a b c d e => :10
            SADD ints 1 2 3 x => :4
            SINTERSTORE result big ints => :3
            @stored result => Listpack
            SADD two 1 2 y => :3
            SINTERSTORE result big two => :2
            @stored result => Intset
            SINTERSTORE result big big => :10
            @stored result => HashTable
            SADD long aaaaaaaaaaa 1 => :2
            SINTERSTORE result long long => :2
            @stored result => HashTable
            SADD three 1 2 3 => :3
            @stored three => Listpack
            SUNIONSTORE result three => :3
            @stored result => HashTable
            SDIFFSTORE result three none => :3
            @stored result => HashTable
            """);
    }

    [Fact]
    public void ResultsOfSortedSetsAreSmallWhereTheyFit()
    {
        using CommandHarness harness = NewHarness();
        Transcript.Play(harness, """
            ZADD big 1 a 2 b 3 c 4 d 5 e 6 aaaaaaaaaaa => :6
            ZRANGESTORE few big 0 3 => :4
            @stored few => Listpack
            ZRANGESTORE few big 0 4 => :5
            @stored few => SkipList
            ZRANGESTORE few big 1 4 BYSCORE => :4
            @stored few => Listpack
            ZRANGESTORE few big 6 6 BYSCORE => :1
            @stored few => SkipList
            ZUNIONSTORE few 1 big => :6
            @stored few => SkipList
            ZADD small 1 a 1 b => :2
            ZINTERSTORE few 2 big small => :2
            @stored few => Listpack
            ZDIFFSTORE few 2 big small => :4
            @stored few => SkipList
            ZREM big aaaaaaaaaaa => :1
            ZDIFFSTORE few 2 big small => :3
            @stored few => Listpack
            GEOADD geo 1 1 a 1 1 b 1 1 c 1 1 d => :4
            GEOADD geo 1 1 e 3 1 f => :2
            @stored geo => SkipList
            GEOSEARCHSTORE near geo FROMLONLAT 1 1 BYRADIUS 1 KM COUNT 4 => :4
            @stored near => Listpack
            GEOSEARCHSTORE near geo FROMLONLAT 1 1 BYRADIUS 1 KM => :5
            @stored near => SkipList
            """);
    }

    // A command's texts count as they are written, and all at once.
    [Theory]
    // 4,089 bytes and the 7 of an empty listpack are 4 KiB; of texts of one byte each takes three there.
    [InlineData(-1, 4089, "a", "Listpack", "Quicklist")]
    [InlineData(-1, 4090, "a", "Quicklist", "Quicklist")]
    // Integers take less than their digits: 227 of 18 are 4,086 bytes.
    [InlineData(-1, 227, "123456789012345678", "Listpack", "Listpack")]
    [InlineData(-1, 228, "123456789012345678", "Quicklist", "Quicklist")]
    [InlineData(5, 4, "a", "Listpack", "Listpack")]
    [InlineData(5, 5, "a", "Listpack", "Quicklist")]
    [InlineData(5, 6, "a", "Quicklist", "Quicklist")]
    [InlineData(0, 1, "a", "Listpack", "Quicklist")]
    // An entry holds no more than 64 KiB.
    [InlineData(-5, 21_000, "a", "Listpack", "Listpack")]
    [InlineData(-5, 22_000, "a", "Quicklist", "Quicklist")]
    public void APushCountsItsTexts(int setting, int count, string text, string encoding, string next)
    {
        foreach (string push in (string[])["RPUSH", "LPUSH"])
        {
            using CommandHarness harness = DataCommands.NewHarness();
            harness.Keyspace.Limits.ListListpackSize = setting;
            IEnumerable<string> texts = Enumerable.Repeat(text, count);
            Assert.Equal($":{count}\r\n", harness.RunWords([push, "k", .. texts]));
            Assert.Equal(encoding, harness.Describe("k"));
            Assert.Equal($":{count + 1}\r\n", harness.Run($"{push}X k a"));
            Assert.Equal(next, harness.Describe("k"));
            Assert.Equal(count + 1, harness.Run("LRANGE k 0 -1").Split("\r\n").Count(word =>
                word == text || word == "a"));
            // The same onto a list that is there.
            harness.Run("RPUSH other x");
            Assert.Equal("Listpack", harness.Describe("other"));
            harness.RunWords([push, "other", .. texts.Skip(1), "y"]);
            Assert.Equal($":{count + 1}\r\n", harness.Run("LLEN other"));
        }
    }

    // A list comes back at half of the limit; where the limit is a number, its bytes do not matter.
    [Theory]
    [InlineData(4, 3000, 2)]
    [InlineData(-1, 1000, 2)]
    [InlineData(-1, 1100, 1)]
    public void AListShrinksToAListpack(int setting, int length, int most)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Keyspace.Limits.ListListpackSize = setting;
        string text = new('e', length);
        for (int count = 1; count <= 5; count++)
            harness.RunWords("RPUSH", "k", text);
        for (int count = 4; count > 0; count--)
        {
            harness.Run("LPOP k");
            Assert.Equal($"{count}: {(count <= most ? "Listpack" : "Quicklist")}",
                $"{count}: {harness.Describe("k")}");
        }
    }

    // Hashes and sorted sets up to four, sets of texts too; texts up to ten bytes.
    private static CommandHarness NewHarness()
    {
        CommandHarness harness = DataCommands.NewHarness();
        CollectionLimits limits = harness.Keyspace.Limits;
        limits.HashListpackEntriesMax = 4;
        limits.SortedSetListpackEntriesMax = 4;
        limits.SortedSetListpackValueMax = 10;
        limits.SetListpackEntriesMax = 4;
        limits.SetListpackValueMax = 10;
        return harness;
    }
}
