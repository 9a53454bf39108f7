using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Bitmaps;

/// <summary>BITFIELD, BITFIELD_RO.</summary>
public sealed class BitFieldCommandsTests
{
    [Fact]
    public void TypesAndOffsets() => DataCommands.Play("""
        BITFIELD k => *[]
        @stored k => missing
        BITFIELD k GET u8 0 => *[:0]
        BITFIELD k GET u64 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET i64 0 => *[:0]
        BITFIELD k GET u63 0 => *[:0]
        BITFIELD k GET i0 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET u0 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET i65 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET x8 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET u 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET u8a 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET U8 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET u08 0
        => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
        BITFIELD k GET u8 -1 => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 abc => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 #abc => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 # => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 #-1 => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 #1 => *[:0]
        BITFIELD k GET u8 4294967295 => *[:0]
        BITFIELD k GET u8 4294967296 => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 #536870912 => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 #536870911 => *[:0]
        BITFIELD k GET u8 #9223372036854775807 => -ERR bit offset is not an integer or out of range
        BITFIELD k GET u8 #2305843009213693952 => *[:0]
        @stored k => missing
        """);

    [Fact]
    public void SyntaxErrorsInOrder() => DataCommands.Play("""
        @foreign L
        BITFIELD L => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITFIELD L foo => -ERR syntax error
        BITFIELD k foo => -ERR syntax error
        BITFIELD k GET => -ERR syntax error
        BITFIELD k GET u8 => -ERR syntax error
        BITFIELD k SET u8 0 => -ERR syntax error
        BITFIELD k GET u8 1 2 => -ERR syntax error
        BITFIELD k GET u8 1 SET => -ERR syntax error
        BITFIELD k SET u8 0 abc => -ERR value is not an integer or out of range
        BITFIELD k SET u8 0 1 INCRBY u8 0 x => -ERR value is not an integer or out of range
        BITFIELD k SET u8 abc abc => -ERR bit offset is not an integer or out of range
        BITFIELD k OVERFLOW => -ERR syntax error
        BITFIELD k OVERFLOW foo => -ERR Invalid OVERFLOW type specified
        BITFIELD k OVERFLOW FAIL => *[]
        BITFIELD L GET u8 0 SET u8 0 a => -ERR value is not an integer or out of range
        BITFIELD L SET u8 0 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITFIELD L GET u8 0 => -WRONGTYPE Operation against a key holding the wrong kind of value
        @stored k => missing
        """);

    [Fact]
    public void ReadOnly() => DataCommands.Play("""
        SET k abc => +OK
        BITFIELD_RO k GET u8 0 GET u8 #2 GET i5 100 => *[:97, :99, :0]
        BITFIELD_RO k SET u8 0 1 => -ERR BITFIELD_RO only supports the GET subcommand
        BITFIELD_RO k INCRBY u8 0 1 => -ERR BITFIELD_RO only supports the GET subcommand
        BITFIELD_RO k OVERFLOW SAT GET u8 0 => *[:97]
        BITFIELD_RO nokey GET u8 0 GET i5 100 => *[:0, :0]
        BITFIELD_RO nokey SET u8 0 x => -ERR value is not an integer or out of range
        @foreign L
        BITFIELD_RO L GET u8 0 => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITFIELD_RO L foo => -ERR syntax error
        BITFIELD_RO k => *[]
        SET n 10 => +OK
        BITFIELD_RO n GET u8 0 => *[:49]
        BITFIELD n GET u8 0 => *[:49]
        @stored n => Int
        BITFIELD n GET u8 0 SET u8 #0 50 => *[:49, :49]
        @stored n => Raw
        """);

    [Fact]
    public void FieldsAcrossBytes() => DataCommands.Play("""
        BITFIELD k SET u5 3 21 SET i13 8 -1000 SET u63 33 9223372036854775807 SET i64 100 -2
        => *[:0, :0, :0, :0]
        GET k => $"\x15\xe0\xc0\x00\x7f\xff\xff\xff\xff\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xe0"
        BITFIELD k GET u5 3 GET i13 8 GET u63 33 GET i64 100 GET u1 3 GET i1 3 GET u1 4
        => *[:21, :-1000, :9223372036854775807, :-2, :1, :-1, :0]
        BITFIELD k GET u8 3 GET i13 5 SET u5 2 7 GET u8 3 => *[:175, :-2173, :10, :127]
        BITFIELD k GET i64 7 GET u63 9 GET u63 111 GET i64 155 GET u8 163 GET u8 164
        => *[:-1125899631964717057, :6971572772925341695, :9223372036854773760, :-72057594037927936, :0, :0]
        BITFIELD k SET i1 0 1 GET i1 0 INCRBY i1 0 1 INCRBY u1 0 1 INCRBY i1 0 -1 => *[:0, :-1, :0, :1, :0]
        GET k => $"\x0f\xe0\xc0\x00\x7f\xff\xff\xff\xff\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xe0"
        """);

    [Fact]
    public void Wrapping() => DataCommands.Play("""
        BITFIELD k SET u8 0 256 SET u8 0 -1 INCRBY u8 0 1 INCRBY u8 0 -1 => *[:0, :0, :0, :255]
        BITFIELD k INCRBY i8 0 127 INCRBY i8 0 127 GET i8 0 => *[:126, :-3, :-3]
        BITFIELD k SET i8 0 200 GET i8 0 SET i8 0 -200 GET i8 0 => *[:-3, :-56, :-56, :56]
        BITFIELD k SET i64 0 9223372036854775807 INCRBY i64 0 1 INCRBY i64 0 -1
        => *[:4035225266123964416, :-9223372036854775808, :9223372036854775807]
        BITFIELD k SET u63 1 -1 INCRBY u63 1 1 INCRBY u63 1 -9223372036854775808
        => *[:9223372036854775807, :0, :0]
        BITFIELD k OVERFLOW FAIL OVERFLOW WRAP INCRBY i4 0 9223372036854775807 => *[:-1]
        """);

    [Fact]
    public void Saturating() => DataCommands.Play("""
        BITFIELD k OVERFLOW SAT SET u8 0 256 GET u8 0 SET u8 0 -1 GET u8 0 INCRBY u8 0 -300
        => *[:0, :255, :255, :255, :0]
        BITFIELD k OVERFLOW sat INCRBY i8 0 127 INCRBY i8 0 127 => *[:127, :127]
        BITFIELD k OVERFLOW sat INCRBY i8 0 -128 INCRBY i8 0 -128 INCRBY i8 0 -128 => *[:-1, :-128, :-128]
        BITFIELD k OVERFLOW SAT SET i8 0 200 SET i8 0 -200 GET i8 0 => *[:-128, :127, :-128]
        BITFIELD k OVERFLOW SAT SET i64 0 9223372036854775807 INCRBY i64 0 1 INCRBY i64 0 9223372036854775807
        => *[:-9223372036854775808, :9223372036854775807, :9223372036854775807]
        BITFIELD k OVERFLOW SAT SET i64 0 -9223372036854775808 INCRBY i64 0 -1
        => *[:9223372036854775807, :-9223372036854775808]
        BITFIELD k OVERFLOW SAT SET i4 0 -9223372036854775808 GET i4 0 => *[:-8, :7]
        BITFIELD k OVERFLOW SAT SET i4 0 -9223372036854775801 GET i4 0 SET i4 0 -9223372036854775800 GET i4 0
        => *[:7, :7, :7, :-8]
        BITFIELD k OVERFLOW SAT SET i4 0 9223372036854775807 GET i4 0 INCRBY i4 0 -9223372036854775808
        => *[:-8, :7, :-8]
        BITFIELD k OVERFLOW SAT SET u63 0 -9223372036854775808 GET u63 0
        => *[:4611686018427387904, :9223372036854775807]
        BITFIELD k OVERFLOW SAT INCRBY u63 0 -9223372036854775808 INCRBY u63 0 9223372036854775807
        => *[:0, :9223372036854775807]
        BITFIELD k OVERFLOW SAT INCRBY u63 0 1 => *[:9223372036854775807]
        """);

    [Fact]
    public void Failing() => DataCommands.Play("""
        BITFIELD k OVERFLOW FAIL SET u8 0 255 INCRBY u8 0 1 INCRBY u8 0 -1 INCRBY u8 0 -255
        => *[:0, $-1, :254, $-1]
        BITFIELD k OVERFLOW FAIL SET i4 0 8 SET i4 0 -8 SET i4 0 -9 SET i4 0 7 INCRBY i4 0 1
        => *[$-1, :-1, $-1, :-8, $-1]
        BITFIELD k OVERFLOW FAIL SET u63 0 -1 INCRBY u63 0 -9223372036854775808 => *[$-1, $-1]
        @resp 3
        BITFIELD k OVERFLOW FAIL SET u8 0 256 => *[_]
        @changes => 0
        """);

    [Fact]
    public void ChangesAreCounted() => DataCommands.Play("""
        SET k abc => +OK
        BITFIELD k GET u8 0 => *[:97]
        @changes => 0
        @events => Set k
        BITFIELD k SET u8 0 97 => *[:97]
        @changes => 0
        @events =>
        BITFIELD k SET u8 0 97 SET u8 0 98 INCRBY u8 8 0 INCRBY u8 8 1 => *[:97, :97, :98, :99]
        @changes => 2
        @events => SetBit k
        BITFIELD k SET u8 #2 99 => *[:99]
        @changes => 0
        BITFIELD new SET u8 #2 0 => *[:0]
        @changes => 1
        @stored new => Raw
        STRLEN new => :3
        BITFIELD k OVERFLOW FAIL SET u8 #0 1000 => *[$-1]
        @changes => 0
        """);
}
