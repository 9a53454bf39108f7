using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Bitmaps;

/// <summary>BITCOUNT, BITPOS.</summary>
public sealed class BitRangeCommandsTests
{
    [Fact]
    public void BitCountRanges() => DataCommands.Play("""
        SET m foobar => +OK
        BITCOUNT m => :26
        BITCOUNT nokey => :0
        BITCOUNT nokey 0 -1 => :0
        BITCOUNT m 0 0 => :4
        BITCOUNT m 1 1 => :6
        BITCOUNT m 1 1 BYTE => :6
        BITCOUNT m 5 30 BIT => :17
        BITCOUNT m 5 5 BIT => :1
        BITCOUNT m 9 9 bit => :1
        BITCOUNT m 8 15 BIT => :6
        BITCOUNT m -3 -1 => :10
        BITCOUNT m -10 -3 BIT => :4
        BITCOUNT m -100 -50 => :4
        BITCOUNT m -50 -100 => :0
        BITCOUNT m 3 1 => :0
        BITCOUNT m -1 -3 => :0
        BITCOUNT m 5 2 BIT => :0
        BITCOUNT m 100 200 => :0
        BITCOUNT m -1000 1000 BIT => :26
        BITCOUNT m 9223372036854775807 -1 => :0
        BITCOUNT m -9223372036854775808 9223372036854775807 => :26
        BITCOUNT m -9223372036854775808 9223372036854775807 BIT => :26
        SET n 12345 => +OK
        BITCOUNT n => :17
        BITCOUNT n 1 2 => :7
        SET e "" => +OK
        BITCOUNT e => :0
        BITCOUNT e 0 0 => :0
        """);

    [Fact]
    public void BitCountErrors() => DataCommands.Play("""
        SET m foobar => +OK
        @foreign L
        BITCOUNT L => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITCOUNT m 0 => -ERR syntax error
        BITCOUNT m 0 1 x => -ERR syntax error
        BITCOUNT m a b x => -ERR value is not an integer or out of range
        BITCOUNT m 0 b x => -ERR value is not an integer or out of range
        BITCOUNT m 0 1 BIT x => -ERR syntax error
        BITCOUNT nokey 0 => -ERR syntax error
        BITCOUNT nokey a b => -ERR value is not an integer or out of range
        BITCOUNT nokey 0 1 x => -ERR syntax error
        BITCOUNT L 0 => -ERR syntax error
        BITCOUNT L a b => -ERR value is not an integer or out of range
        BITCOUNT L 0 1 BIT => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void BitPosFinds() => DataCommands.Play("""
        SET m foobar => +OK
        BITPOS m 1 => :1
        BITPOS m 0 => :0
        BITPOS m 1 0 1 BIT => :1
        BITPOS m 1 2 5 BIT => :2
        BITPOS m 1 3 4 BIT => :-1
        BITPOS m 1 5 2 BIT => :-1
        BITPOS m 1 5 2 => :-1
        BITPOS m 0 5 2 => :-1
        BITPOS m 1 7 15 BIT => :9
        BITPOS m 0 10 => :-1
        BITPOS m 1 2 => :17
        BITPOS m 1 -1 => :41
        BITPOS m 0 -100 -200 => :0
        BITPOS m 1 -100 -200 => :1
        BITPOS m 1 -1 -100 => :-1
        SET ff \xff\xff\xff => +OK
        BITPOS ff 0 => :24
        BITPOS ff 0 0 => :24
        BITPOS ff 0 0 -1 => :-1
        BITPOS ff 0 0 -1 BIT => :-1
        BITPOS ff 0 1 => :24
        BITPOS ff 0 3 => :-1
        BITPOS ff 0 -1 => :24
        BITPOS ff 1 4 => :-1
        BITPOS ff 1 1 1 => :8
        BITPOS ff 1 23 23 BIT => :23
        SET zz \x00\x00\x00 => +OK
        BITPOS zz 1 => :-1
        BITPOS zz 1 0 -1 BIT => :-1
        BITPOS zz 0 7 15 BIT => :7
        BITPOS zz 1 10 => :-1
        BITPOS zz 0 10 => :-1
        SET one \x00\x00\x01 => +OK
        BITPOS one 1 0 22 BIT => :-1
        BITPOS one 1 0 23 BIT => :23
        BITPOS one 1 8 => :-1
        SET e "" => +OK
        BITPOS e 0 => :-1
        BITPOS e 1 => :-1
        BITPOS e 0 0 => :-1
        SET n 12 => +OK
        BITPOS n 1 => :2
        BITPOS nokey 1 => :-1
        BITPOS nokey 0 => :0
        BITPOS nokey 1 5 6 BIT => :-1
        """);

    [Fact]
    public void BitPosErrors() => DataCommands.Play("""
        SET m foobar => +OK
        @foreign L
        BITPOS m 2 => -ERR The bit argument must be 1 or 0.
        BITPOS m a => -ERR value is not an integer or out of range
        BITPOS L 2 => -ERR The bit argument must be 1 or 0.
        BITPOS L 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITPOS m 1 a => -ERR value is not an integer or out of range
        BITPOS m 1 0 a => -ERR value is not an integer or out of range
        BITPOS m 1 0 1 x => -ERR syntax error
        BITPOS m 1 0 a x => -ERR syntax error
        BITPOS m 1 a b x => -ERR value is not an integer or out of range
        BITPOS m 1 0 1 BIT x => -ERR syntax error
        BITPOS nokey 1 a => -ERR value is not an integer or out of range
        BITPOS nokey 0 0 1 foo => -ERR syntax error
        BITPOS L 1 a => -ERR value is not an integer or out of range
        """);
}
