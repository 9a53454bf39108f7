using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>DELEX, DELIFEQ, DIGEST, and the conditions of SET that compare; by Redis 8.6's
/// documentation.</summary>
public sealed class CompareCommandsTests
{
    [Fact]
    public void DigestIsSixteenHexadecimalDigits() => DataCommands.Play("""
        SET k hello
        DIGEST k => $"9555e8555c62dcfd"
        SET k ""
        DIGEST k => $"2d06800538d394c2"
        SET k 123
        @stored k => Int
        DIGEST k => $"404a763b3f4c8c9a"
        SET k v8
        DIGEST k => $"0cc76dbb41381419"
        SET k Hello\sworld
        DIGEST k => $"b6acb9d84a38ff74"
        DIGEST nokey => $-1
        @resp 3
        DIGEST nokey => _
        @foreign L
        DIGEST L => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void SetComparesValues() => DataCommands.Play("""
        SET k v IFEQ x => $-1
        @stored k => missing
        SET k v IFNE x => +OK
        @events => Set k
        SET k w IFNE v => $-1
        @changes => 0
        SET k w ifeq x => $-1
        SET k w IfEq v => +OK
        GET k => $"w"
        SET k 12 IFNE v GET => $"w"
        SET k 13 IFEQ 12 GET => $"12"
        SET k 14 IFEQ 12 GET => $"13"
        GET k => $"13"
        SET k 14 IFEQ 013 => $-1
        SET k 14 IFEQ x IFEQ 13 => +OK
        SET k v EX 10 IFEQ 14 => +OK
        @stored k => Embstr 10000 ms
        SET k "" IFEQ v KEEPTTL => +OK
        @stored k => Embstr 10000 ms
        SET k z IFNE "" => $-1
        SET k z IFEQ "" => +OK
        SET new v IFEQ x GET => $-1
        SET new v IFNE x GET => $-1
        GET new => $"v"
        """);

    [Fact]
    public void SetComparesDigests() => DataCommands.Play("""
        SET k v IFDEQ 9555e8555c62dcfd => $-1
        SET k hello IFDNE 9555e8555c62dcfd => +OK
        SET k x IFDNE 9555e8555c62dcfd => $-1
        SET k x IFDEQ 9555e8555c62dcfe => $-1
        SET k hello IFDEQ 9555E8555C62DCFD => +OK
        SET k x IFDEQ zzzzzzzzzzzzzzzz => $-1
        SET k x IFDNE zzzzzzzzzzzzzzzz GET => $"hello"
        SET k y IFDEQ 123 => -ERR must be exactly 16 hexadecimal characters
        SET k y IFDNE 09555e8555c62dcfd GET => -ERR must be exactly 16 hexadecimal characters
        SET nokey y IFDEQ 123 => $-1
        SET nokey y IFDNE 123 => +OK
        GET k => $"x"
        """);

    [Fact]
    public void SetConditionErrors() => DataCommands.Play("""
        @foreign L
        SET k v IFEQ => -ERR syntax error
        SET k v IFEQ a NX => -ERR syntax error
        SET k v XX IFNE a => -ERR syntax error
        SET k v IFEQ a IFNE a => -ERR syntax error
        SET k v IFDEQ a IFEQ a => -ERR syntax error
        SET k v IFEQ a EX 0 => -ERR invalid expire time in 'set' command
        SET L v IFEQ a => -WRONGTYPE Operation against a key holding the wrong kind of value
        SET L v IFNE a => -WRONGTYPE Operation against a key holding the wrong kind of value
        SET L v IFDEQ 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        SET L v IFDNE 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void DelExDeletesOnCondition() => DataCommands.Play("""
        DELEX k => :0
        SET k hello
        DELEX k IFEQ x => :0
        @changes => 0
        @events => Set k
        DELEX k ifeq hello => :1
        @changes => 1
        @events => Deleted k
        SET k hello
        DELEX k IFNE hello => :0
        DELEX k IfNe x => :1
        SET k hello
        DELEX k IFDEQ 9555e8555c62dcfe => :0
        DELEX k IFDEQ 9555E8555c62dcfd => :1
        SET k hello
        DELEX k IFDNE 9555e8555c62dcfd => :0
        DELEX k IFDNE zzzzzzzzzzzzzzzz => :1
        SET k 123
        DELEX k IFEQ 0123 => :0
        DELEX k IFEQ 123 => :1
        SET k v
        DELEX k => :1
        @foreign L
        DELEX L => :1
        @stored L => missing
        """);

    [Fact]
    public void DelExErrorsInOrder() => DataCommands.Play("""
        SET k v
        @foreign L
        DELEX k IFEQ => -ERR wrong number of arguments for 'delex' command
        DELEX nokey IFEQ => -ERR wrong number of arguments for 'delex' command
        DELEX k IFEQ v x => -ERR wrong number of arguments for 'delex' command
        DELEX nokey FOO v => :0
        DELEX nokey IFDEQ 1 => :0
        DELEX L FOO v => -ERR Key should be of string type if conditions are specified
        DELEX L IFEQ v => -ERR Key should be of string type if conditions are specified
        DELEX k FOO v => -ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE
        DELEX k NX v => -ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE
        DELEX k IFDEQ 1 => -ERR must be exactly 16 hexadecimal characters
        @stored k => Embstr
        """);

    [Fact]
    public void DelIfEqDeletesWhatIsEqual() => DataCommands.Play("""
        DELIFEQ k v => :0
        SET k abc123
        DELIFEQ k abc => :0
        DELIFEQ k abc123 => :1
        @events => Set k, Deleted k
        DELIFEQ k abc123 => :0
        SET k 12
        DELIFEQ k 12 => :1
        @foreign L
        DELIFEQ L a => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);
}
