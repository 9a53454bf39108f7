using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>GET, GETDEL, GETEX, GETSET, MGET, STRLEN.</summary>
public sealed class GetCommandsTests
{
    [Fact]
    public void GetReplies() => DataCommands.Play("""
        GET k => $-1
        SET k v => +OK
        GET k => $"v"
        SET k "" => +OK
        GET k => $""
        SET k 12 => +OK
        @stored k => Int
        GET k => $"12"
        SET k -9223372036854775808 => +OK
        @stored k => Int
        GET k => $"-9223372036854775808"
        SET k 9223372036854775808 => +OK
        @stored k => Embstr
        GET k => $"9223372036854775808"
        SET k 01 => +OK
        @stored k => Embstr
        SET k -0 => +OK
        @stored k => Embstr
        SET k +1 => +OK
        @stored k => Embstr
        SET k 12345678901234567890123456789012345678901234 => +OK
        @stored k => Embstr
        SET k 123456789012345678901234567890123456789012345 => +OK
        @stored k => Raw
        GET k => $"123456789012345678901234567890123456789012345"
        @foreign L
        GET L => -WRONGTYPE Operation against a key holding the wrong kind of value
        @changes => 0
        """);

    [Fact]
    public void NullsInBothProtocols() => DataCommands.Play("""
        GET k => $-1
        MGET k => *[$-1]
        @resp 3
        GET k => _
        MGET k => *[_]
        GETDEL k => _
        SET k v XX => _
        """);

    [Fact]
    public void MGetTakesOtherTypesAsMissing() => DataCommands.Play("""
        SET a 1 => +OK
        SET b bytes => +OK
        @foreign L
        MGET a nokey L b a => *[$"1", $-1, $-1, $"bytes", $"1"]
        """);

    [Fact]
    public void StrLenCountsBytes() => DataCommands.Play("""
        STRLEN k => :0
        SET k 12345 => +OK
        STRLEN k => :5
        SET k -5 => +OK
        STRLEN k => :2
        SET k hello => +OK
        STRLEN k => :5
        SET k "" => +OK
        STRLEN k => :0
        @foreign L
        STRLEN L => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void GetDelRemoves() => DataCommands.Play("""
        GETDEL k => $-1
        @changes => 0
        SET k v => +OK
        @events => Set k
        GETDEL k => $"v"
        @changes => 1
        @events => Deleted k
        GET k => $-1
        @foreign L
        GETDEL L => -WRONGTYPE Operation against a key holding the wrong kind of value
        GETDEL k => $-1
        """);

    [Fact]
    public void GetSetReplaces() => DataCommands.Play("""
        GETSET k v => $-1
        @events => Set k
        GETSET k 12 => $"v"
        @stored k => Int
        GETSET k x => $"12"
        @changes => 1
        @foreign L
        GETSET L v => -WRONGTYPE Operation against a key holding the wrong kind of value
        GET k => $"x"
        """);

    [Fact]
    public void GetExErrorsInOrder() => DataCommands.Play("""
        @foreign L
        SET k v => +OK
        GETEX k => $"v"
        @changes => 0
        GETEX nokey => $-1
        GETEX nokey EX abc => $-1
        GETEX nokey EX 0 => $-1
        GETEX nokey foo => -ERR syntax error
        GETEX k EX abc => -ERR value is not an integer or out of range
        GETEX k EX 0 => -ERR invalid expire time in 'getex' command
        GETEX k PX -5 => -ERR invalid expire time in 'getex' command
        GETEX k EX 10 PERSIST => -ERR syntax error
        GETEX k PERSIST EX 10 => -ERR syntax error
        GETEX k PERSIST PERSIST => $"v"
        GETEX k EX 10 PX 10 => -ERR syntax error
        GETEX k KEEPTTL => -ERR syntax error
        GETEX k EX => -ERR syntax error
        GETEX L foo => -ERR syntax error
        GETEX L EX abc => -WRONGTYPE Operation against a key holding the wrong kind of value
        GETEX k PX 9223372036854775807 => -ERR invalid expire time in 'getex' command
        GETEX k EX 9223372036854775807 => -ERR invalid expire time in 'getex' command
        GETEX k EXAT 9223372036854776 => -ERR invalid expire time in 'getex' command
        GETEX k EXAT -1 => -ERR invalid expire time in 'getex' command
        @changes => 0
        """);
}
