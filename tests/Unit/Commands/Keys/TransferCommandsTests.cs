using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>COPY, MOVE, RENAME and RENAMENX as redis-server 7.0.15 has them.</summary>
public sealed class TransferCommandsTests
{
    [Fact]
    public void RenameTakesValueAndDeadlineAlong() => DataCommands.Play("""
        SET a 12 PX 5000
        SET b old PX 100
        @events
        RENAME a b => +OK
        @changes => 1
        @events => RenamedFrom a, RenamedTo b
        @stored a => missing
        @stored b => Int 5000 ms
        RENAME b b => +OK
        @changes => 0
        SET c v
        RENAME c b => +OK
        @stored b => Embstr
        DBSIZE => :1
        RENAME nokey b => -ERR no such key
        RENAME nokey nokey => -ERR no such key
        RENAMENX nokey b => -ERR no such key
        @changes => 0
        """);

    [Fact]
    public void RenameNxSpares() => DataCommands.Play("""
        MSET a 1 b 2
        RENAMENX a b => :0
        RENAMENX a a => :0
        @changes => 0
        RENAMENX a c => :1
        @changes => 1
        GET c => $"1"
        SET d 4 PX 10
        @advance 10
        @events
        RENAMENX c d => :1
        @events => Expired d, RenamedFrom c, RenamedTo d
        PTTL d => :-1
        RENAME d nokey => +OK
        SET dead v PX 1
        @advance 1
        RENAME dead b => -ERR no such key
        GET b => $"2"
        """);

    [Fact]
    public void MoveGoesToAnotherDatabase() => DataCommands.Play("""
        SET k v PX 1000
        MOVE k abc => -ERR value is not an integer or out of range
        MOVE k 16 => -ERR DB index is out of range
        MOVE k -1 => -ERR DB index is out of range
        MOVE k 2147483648 => -ERR value is out of range, value must between -2147483648 and 2147483647
        MOVE nokey 0 => -ERR source and destination objects are the same
        MOVE nokey 1 => :0
        @events
        MOVE k 1 => :1
        @changes => 1
        @events => MovedFrom k, MovedTo k
        EXISTS k => :0
        @select 1
        @stored k => Embstr 1000 ms
        @select 0
        SET k new
        MOVE k 1 => :0
        @changes => 0
        @advance 1000
        MOVE k 1 => :1
        @select 1
        GET k => $"new"
        TTL k => :-1
        """);

    [Fact]
    public void CopyLeavesTheSource() => DataCommands.Play("""
        COPY a b DB => -ERR syntax error
        COPY a b FOO => -ERR syntax error
        COPY a b DB abc => -ERR value is not an integer or out of range
        COPY a b DB 99 FOO => -ERR DB index is out of range
        COPY a b DB 4294967297 => -ERR value is out of range, value must between -2147483648 and 2147483647
        COPY a a => -ERR source and destination objects are the same
        COPY a a DB 0 => -ERR source and destination objects are the same
        COPY a b => :0
        SET a v PX 500
        SET b old
        @events
        COPY a b => :0
        @changes => 0
        COPY a b replace => :1
        @changes => 1
        @events => CopiedTo b
        @stored a => Embstr 500 ms
        @stored b => Embstr 500 ms
        COPY a a db 2 => :1
        COPY a a DB 2 => :0
        COPY b a REPLACE DB 1 DB 2 => :1
        @select 2
        DBSIZE => :1
        PERSIST a => :1
        @advance 500
        @reap
        GET a => $"v"
        @select 0
        DBSIZE => :0
        """);

    [Fact]
    public void CopiesOfBigValuesAreIndependent() => DataCommands.Play("""
        SETRANGE big 200000 x
        COPY big twin => :1
        SETRANGE twin 100000 y
        GETRANGE big 100000 100000 => $"\x00"
        GETRANGE twin 100000 100000 => $"y"
        RENAME twin big => +OK
        GETRANGE big 100000 100000 => $"y"
        STRLEN big => :200001
        DEL big => :1
        """);
}
