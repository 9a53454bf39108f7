using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Bitmaps;

/// <summary>GETBIT, SETBIT.</summary>
public sealed class BitCommandsTests
{
    [Fact]
    public void BitsAreSetAndRead() => DataCommands.Play("""
        GETBIT k 7 => :0
        SETBIT k 7 1 => :0
        @stored k => Raw
        @events => SetBit k
        @changes => 1
        GET k => $"\x01"
        GETBIT k 7 => :1
        GETBIT k 6 => :0
        GETBIT k 8 => :0
        GETBIT k 4294967295 => :0
        SETBIT k 7 1 => :1
        @changes => 0
        SETBIT k 7 0 => :1
        @changes => 1
        SETBIT k 100 0 => :0
        @changes => 1
        STRLEN k => :13
        SETBIT new 5 0 => :0
        @changes => 1
        STRLEN new => :1
        """);

    [Fact]
    public void IntegersAndShortStringsBecomeRaw() => DataCommands.Play("""
        SET n 10 => +OK
        GETBIT n 2 => :1
        GETBIT n 15 => :0
        GETBIT n 16 => :0
        @stored n => Int
        SETBIT n 0 0 => :0
        @stored n => Raw
        @changes => 0
        GET n => $"10"
        SETBIT n 6 1 => :0
        GET n => $"30"
        SET e abc => +OK
        SETBIT e 7 1 => :1
        @changes => 0
        @stored e => Raw
        SETBIT e 6 1 => :0
        GET e => $"cbc"
        """);

    [Fact]
    public void ErrorsInOrder() => DataCommands.Play("""
        @foreign L
        SETBIT k abc 1 => -ERR bit offset is not an integer or out of range
        SETBIT k -1 1 => -ERR bit offset is not an integer or out of range
        SETBIT k 4294967296 1 => -ERR bit offset is not an integer or out of range
        SETBIT k 0 2 => -ERR bit is not an integer or out of range
        SETBIT k 0 -1 => -ERR bit is not an integer or out of range
        SETBIT k 0 abc => -ERR bit is not an integer or out of range
        SETBIT k abc abc => -ERR bit offset is not an integer or out of range
        SETBIT L abc 1 => -ERR bit offset is not an integer or out of range
        SETBIT L 0 2 => -ERR bit is not an integer or out of range
        SETBIT L 0 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        GETBIT k abc => -ERR bit offset is not an integer or out of range
        GETBIT k -1 => -ERR bit offset is not an integer or out of range
        GETBIT k 4294967296 => -ERR bit offset is not an integer or out of range
        GETBIT L abc => -ERR bit offset is not an integer or out of range
        GETBIT L 0 => -WRONGTYPE Operation against a key holding the wrong kind of value
        @stored k => missing
        """);
}
