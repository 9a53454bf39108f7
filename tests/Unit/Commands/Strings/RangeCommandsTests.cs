using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>APPEND, GETRANGE, SETRANGE, SUBSTR.</summary>
public sealed class RangeCommandsTests
{
    [Fact]
    public void AppendMakesAndExtends() => DataCommands.Play("""
        APPEND k 12 => :2
        @stored k => Int
        @events => Append k
        APPEND k 3 => :3
        @stored k => Raw
        GET k => $"123"
        @events => Append k
        @changes => 0
        APPEND k "" => :3
        @changes => 1
        APPEND e "" => :0
        GET e => $""
        @changes => 0
        APPEND new abc => :3
        @stored new => Embstr
        APPEND new d => :4
        @stored new => Raw
        @foreign L
        APPEND L x => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void GetRangeClips() => DataCommands.Play("""
        SET k Hello => +OK
        GETRANGE k 0 -1 => $"Hello"
        GETRANGE k -3 -1 => $"llo"
        GETRANGE k 3 1 => $""
        GETRANGE k -1 -3 => $""
        GETRANGE k -100 100 => $"Hello"
        GETRANGE k 5 10 => $""
        GETRANGE k 4 10 => $"o"
        GETRANGE k -100 -50 => $"H"
        GETRANGE k -100 -100 => $"H"
        GETRANGE k -100 -101 => $""
        GETRANGE k 0 -6 => $"H"
        GETRANGE k 0 -100 => $"H"
        GETRANGE k 1 -100 => $""
        GETRANGE k 10 -100 => $""
        GETRANGE k -9223372036854775808 9223372036854775807 => $"Hello"
        SUBSTR k 1 2 => $"el"
        SET n 12345 => +OK
        GETRANGE n 1 2 => $"23"
        GETRANGE n -2 -1 => $"45"
        @stored n => Int
        SET e "" => +OK
        GETRANGE e 0 -1 => $""
        GETRANGE e 0 0 => $""
        GETRANGE nokey 0 -1 => $""
        @foreign L
        GETRANGE L a 1 => -ERR value is not an integer or out of range
        GETRANGE L 0 b => -ERR value is not an integer or out of range
        GETRANGE L 0 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        GETRANGE nokey a 1 => -ERR value is not an integer or out of range
        """);

    [Fact]
    public void SetRangeOverwritesAndExtends() => DataCommands.Play("""
        SETRANGE k 3 x => :4
        GET k => $"\x00\x00\x00x"
        @stored k => Raw
        @events => SetRange k
        @changes => 0
        SETRANGE k 0 ab => :4
        GET k => $"ab\x00x"
        SETRANGE k 1 "" => :4
        @changes => 0
        SETRANGE nokey 5 "" => :0
        @stored nokey => missing
        @changes => 0
        SET n 1234 => +OK
        SETRANGE n 1 "" => :4
        @stored n => Int
        SETRANGE n 5 2 => :6
        @stored n => Raw
        GET n => $"1234\x002"
        SET s Hello => +OK
        @stored s => Embstr
        SETRANGE s 0 J => :5
        @stored s => Raw
        GET s => $"Jello"
        """);

    [Fact]
    public void SetRangeErrorsInOrder() => DataCommands.Play("""
        SET k v => +OK
        @foreign L
        SETRANGE k a x => -ERR value is not an integer or out of range
        SETRANGE k -1 x => -ERR offset is out of range
        SETRANGE L a x => -ERR value is not an integer or out of range
        SETRANGE L -1 x => -ERR offset is out of range
        SETRANGE L 0 x => -WRONGTYPE Operation against a key holding the wrong kind of value
        SETRANGE L 0 "" => -WRONGTYPE Operation against a key holding the wrong kind of value
        SETRANGE k 536870912 "" => :1
        SETRANGE k 536870912 x => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
        SETRANGE k 536870911 xy => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
        SETRANGE nokey 536870912 x => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
        SETRANGE nokey 9223372036854775807 x
        => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
        @changes => 0
        GET k => $"v"
        """);
}
