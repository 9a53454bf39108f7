using System.Globalization;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Lists;

/// <summary>What the comparison with redis-server does not see: events, counts of changes,
/// encodings.</summary>
public sealed class ListCommandsTests
{
    [Fact]
    public void PushesAndPopsAreDeclared() => DataCommands.Play("""
        RPUSH k a b c => :3
        @stored k => Listpack
        @changes => 3
        @events => RPush k
        LPUSH k 1 => :4
        @events => LPush k
        LPUSHX no 1 => :0
        @changes => 0
        RPUSHX k 5 6 => :6
        @events => RPush k
        LPOP k => $"1"
        @changes => 1
        @events => LPop k
        RPOP k 2 => *[$"6", $"5"]
        @changes => 2
        @events => RPop k
        LPOP k 0 => *[]
        @changes => 0
        LPOP k 9 => *[$"a", $"b", $"c"]
        @changes => 3
        @events => LPop k, Deleted k
        LPOP k => $-1
        LPOP k 1 => *-1
        """);

    [Fact]
    public void MovesAreDeclaredPushFirst() => DataCommands.Play("""
        RPUSH a 1 2 => :2
        @events => RPush a
        LMOVE a b LEFT RIGHT => $"1"
        @changes => 1
        @events => RPush b, LPop a
        RPOPLPUSH a b => $"2"
        @events => LPush b, RPop a, Deleted a
        LRANGE b 0 -1 => *[$"2", $"1"]
        LMOVE b b LEFT RIGHT => $"2"
        @events => RPush b, LPop b
        LRANGE b 0 -1 => *[$"1", $"2"]
        LMPOP 2 a b LEFT COUNT 5 => *[$"b", *[$"1", $"2"]]
        @changes => 2
        @events => LPop b, Deleted b
        LMPOP 2 a b RIGHT => *-1
        """);

    [Fact]
    public void EditsAreDeclared() => DataCommands.Play("""
        RPUSH k a b a c a => :5
        @events => RPush k
        LINSERT k AFTER b 7 => :6
        @changes => 1
        @events => LInsert k
        LINSERT k BEFORE x 7 => :-1
        @changes => 0
        LSET k -1 z => +OK
        @events => LSet k
        LREM k 0 a => :2
        @changes => 2
        @events => LRem k
        LREM k 0 a => :0
        @events => 
        LTRIM k 1 2 => +OK
        @changes => 2
        @events => LTrim k
        LRANGE k 0 -1 => *[$"7", $"c"]
        LTRIM k 0 -1 => +OK
        @changes => 0
        @events => LTrim k
        LTRIM k 5 9 => +OK
        @events => LTrim k, Deleted k
        RPUSH k a a => :2
        @events => RPush k
        LREM k -5 a => :2
        @events => LRem k, Deleted k
        """);

    // Newer than the oracle: a rank or count whose sign cannot be turned is an error.
    [Fact]
    public void TheLeastIntegerIsNoCount() => DataCommands.Play("""
        RPUSH k a => :1
        LPOS k a RANK -9223372036854775808
        => -ERR value is out of range, value must between -9223372036854775807
        .. and 9223372036854775807
        LREM k -9223372036854775808 a
        => -ERR value is out of range, value must between -9223372036854775807
        .. and 9223372036854775807
        LPOS k a RANK -9223372036854775807 => $-1
        LREM k -9223372036854775807 a => :1
        """);

    [Theory]
    [InlineData(3, 3, 1)]
    [InlineData(-1, 340, 170)]
    [InlineData(-2, 682, 340)]
    public void AListChangesItsEncodingAtTheLimitAndBackAtHalfOfIt(int setting, int most, int half)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Keyspace.Limits.ListListpackSize = setting;
        string element = new('e', 10);
        for (int count = 1; count <= most + 5; count++)
        {
            harness.Run($"RPUSH k {element}");
            Assert.Equal($"{count}: {(count <= most ? "Listpack" : "Quicklist")}",
                $"{count}: {harness.Describe("k")}");
        }
        for (int count = most + 4; count > 0; count--)
        {
            harness.Run("LPOP k");
            Assert.Equal($"{count}: {(count <= half ? "Listpack" : "Quicklist")}",
                $"{count}: {harness.Describe("k")}");
        }
    }

    // As in Redis: what LSET writes must fit in beside what it overwrites.
    [Theory]
    [InlineData(3, 1, "Quicklist")]
    [InlineData(4, 1, "Listpack")]
    [InlineData(-1, 2000, "Listpack")]
    [InlineData(-1, 2100, "Quicklist")]
    public void AListThatIsFullIsNoListpackOnceAnElementIsSet(int setting, int length, string encoding)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Keyspace.Limits.ListListpackSize = setting;
        string text = new('e', length);
        harness.RunWords("RPUSH", "k", text, "b", "c");
        Assert.Equal("Listpack", harness.Describe("k"));
        harness.RunWords("LSET", "k", "0", text);
        Assert.Equal(encoding, harness.Describe("k"));
        Assert.Equal($"*3\r\n${length}\r\n{text}\r\n$1\r\nb\r\n$1\r\nc\r\n",
            harness.Run("LRANGE k 0 -1"));
    }

    [Fact]
    public void ALongElementMakesAListOfPages()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        string element = new('e', 100_000);
        harness.Run("RPUSH k a");
        harness.RunWords("LPUSH", "k", element);
        Assert.Equal("Quicklist", harness.Describe("k"));
        Assert.Equal($"${element.Length}\r\n{element}\r\n", harness.Run("LINDEX k 0"));
        harness.RunWords("LSET", "k", "1", element);
        harness.Run("COPY k copy");
        Assert.Equal($"${element.Length}\r\n{element}\r\n", harness.Run("LMOVE k k LEFT RIGHT"));
        Assert.Equal(":2\r\n", harness.RunWords("LREM", "k", "0", element));
        Assert.Null(harness.Describe("k"));
        harness.Run("LSET copy 0 1");
        harness.Run("LSET copy 1 2");
        Assert.Equal("*2\r\n$1\r\n1\r\n$1\r\n2\r\n", harness.Run("LRANGE copy 0 -1"));
    }

    [Fact]
    public void ACopyOfABigListIsNotChangedWithIt()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int number = 0; number < 5_000; number++)
            harness.Run(string.Create(CultureInfo.InvariantCulture, $"RPUSH k element{number}"));
        string all = harness.Run("LRANGE k 0 -1");
        harness.Run("COPY k copy");
        harness.Run("LTRIM k 100 4000");
        harness.Run("LREM k 0 element777");
        harness.Run("LINSERT k BEFORE element888 x");
        harness.Run("LSET k 50 y");
        harness.Run("LPUSH k z");
        Assert.Equal(all, harness.Run("LRANGE copy 0 -1"));
        harness.Run("DEL k");
        Assert.Equal(all, harness.Run("LRANGE copy 0 -1"));
    }

    [Theory]
    [InlineData("LRANGE k 0 -1")]
    [InlineData("LINDEX k 1500")]
    [InlineData("LMOVE k k LEFT RIGHT")]
    [InlineData("LPOS k element2900 RANK -1")]
    [InlineData("LSET k 7 other")]
    [InlineData("LPUSH k element")]
    [InlineData("RPOP k")]
    [InlineData("LPOP k 3")]
    public void NothingIsAllocated(string line)
    {
        using CommandHarness harness = DataCommands.NewHarness(isChecked: false);
        for (int number = 0; number < 3_000; number++)
            harness.Run(string.Create(CultureInfo.InvariantCulture, $"RPUSH k element{number}"));
        Assert.Equal(0, harness.AllocatedBy(line, 100));
    }
}
