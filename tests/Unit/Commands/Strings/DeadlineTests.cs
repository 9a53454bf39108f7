using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>What string commands do to deadlines.</summary>
public sealed class DeadlineTests
{
    [Fact]
    public void SetTakesAnExpiryInFourUnits() => DataCommands.Play("""
        SET k v EX 10 => +OK
        @changes => 1
        @events => Set k, Expire k
        @stored k => Embstr 10000 ms
        SET k v px 1500 => +OK
        @stored k => Embstr 1500 ms
        SET k v EXAT 1750000100 => +OK
        @stored k => Embstr 100000 ms
        SET k v PXAT 1750000000500 => +OK
        @stored k => Embstr 500 ms
        SET k v EX 5 EX 6 => +OK
        @stored k => Embstr 6000 ms
        SET k v PX 9221622036854775807 => +OK
        @stored k => Embstr 9221622036854775807 ms
        SET k v PXAT 9223372036854775807 => +OK
        SETEX k 7 w => +OK
        @stored k => Embstr 7000 ms
        PSETEX k 8 12 => +OK
        @stored k => Int 8 ms
        SET new v NX EX 3 GET => $-1
        @stored new => Embstr 3000 ms
        """);

    [Fact]
    public void SetDropsTheDeadlineWithoutKeepTtl() => DataCommands.Play("""
        SET k v EX 10 => +OK
        @advance 4000
        SET k 12 KEEPTTL => +OK
        @stored k => Int 6000 ms
        SET k v KEEPTTL GET => $"12"
        @stored k => Embstr 6000 ms
        @events => Set k, Expire k, Set k, Set k
        SET k v KEEPTTL KEEPTTL NX => $-1
        SET k v => +OK
        @stored k => Embstr
        SET k v KEEPTTL => +OK
        @stored k => Embstr
        SET new v KEEPTTL => +OK
        @stored new => Embstr
        """);

    [Fact]
    public void AKeyIsGoneAtItsDeadline() => DataCommands.Play("""
        SET k v PX 100 => +OK
        @advance 99
        GET k => $"v"
        @advance 1
        GET k => $-1
        STRLEN k => :0
        MGET k => *[$-1]
        SET k v XX => $-1
        GETSET k v => $-1
        @stored k => Embstr
        @events => Set k, Expire k, Expired k, Set k
        SET k v KEEPTTL PX 1 => -ERR syntax error
        SET k v PX 100 => +OK
        @advance 200
        SET k v KEEPTTL => +OK
        @stored k => Embstr
        SET k v PX 100 => +OK
        @advance 200
        SETNX k w => :1
        """);

    [Fact]
    public void WritersStartOverAfterTheDeadline() => DataCommands.Play("""
        SET a 5 PX 100
        SET b 5 PX 100
        SET c 5 PX 100
        SET d 5 PX 100
        SET e 5 PX 100
        SET f 5 PX 100
        @advance 100
        APPEND a x => :1
        INCR b => :1
        INCRBYFLOAT c 1.5 => $"1.5"
        SETRANGE d 1 x => :2
        SETBIT e 9 1 => :0
        BITFIELD f GET u8 0 SET u8 0 1 => *[:0, :0]
        @stored a => Embstr
        @stored b => Int
        @stored c => Embstr
        @stored d => Raw
        GET d => $"\x00x"
        GET e => $"\x00@"
        GETDEL nokey => $-1
        """);

    [Fact]
    public void WritersInPlaceKeepTheDeadline() => DataCommands.Play("""
        SET a 5 PX 1000
        APPEND a 1 => :2
        @stored a => Raw 1000 ms
        INCR a => :52
        @stored a => Int 1000 ms
        INCRBYFLOAT a 0.5 => $"52.5"
        @stored a => Embstr 1000 ms
        SETRANGE a 20 x => :21
        @stored a => Raw 1000 ms
        SETBIT a 800 1 => :0
        @stored a => Raw 1000 ms
        BITFIELD a SET u8 1600 255 => *[:0]
        @stored a => Raw 1000 ms
        BITOP NOT a a => :201
        @stored a => Raw
        SET a 5 PX 1000
        GETSET a 6 => $"5"
        @stored a => Int
        SET a 5 PX 1000
        MSET a 6 => +OK
        @stored a => Int
        """);

    [Fact]
    public void ADeadlineInThePastRemoves() => DataCommands.Play("""
        SET k v EXAT 1 => +OK
        @changes => 0
        @stored k => missing
        SET k v => +OK
        @events => Set k
        SET k w PXAT 1750000000000 GET => $"v"
        @changes => 1
        @events => Deleted k
        @stored k => missing
        SET k v => +OK
        SET k w EXAT 1 NX => $-1
        @stored k => Embstr
        GETEX k PXAT 5 => $"v"
        @events => Set k, Deleted k
        @stored k => missing
        SET a 1
        MSETEX 2 a 2 b 3 EXAT 1 => :1
        MGET a b => *[$-1, $-1]
        """);

    [Fact]
    public void GetExChangesOnlyTheDeadline() => DataCommands.Play("""
        SET k 12 => +OK
        GETEX k EX 10 => $"12"
        @changes => 1
        @stored k => Int 10000 ms
        GETEX k => $"12"
        @changes => 0
        @stored k => Int 10000 ms
        GETEX k PX 5 PX 500 => $"12"
        @stored k => Int 500 ms
        GETEX k EXAT 1750000100 => $"12"
        @stored k => Int 100000 ms
        GETEX k PXAT 1750000000100 => $"12"
        @stored k => Int 100 ms
        GETEX k persist => $"12"
        @changes => 1
        @stored k => Int
        GETEX k PERSIST => $"12"
        @changes => 0
        @events => Set k, Expire k, Expire k, Expire k, Expire k, Persist k
        """);
}
