using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>SET, SETEX, SETNX, PSETEX.</summary>
public sealed class SetCommandsTests
{
    [Fact]
    public void ExistenceConditions() => DataCommands.Play("""
        SET k v XX => $-1
        @changes => 0
        SET k v NX => +OK
        @events => Set k
        SET k w NX => $-1
        @changes => 0
        SET k w XX => +OK
        GET k => $"w"
        SET k x nx NX => $-1
        SET k x NX XX => -ERR syntax error
        SET k x XX NX => -ERR syntax error
        @foreign L
        SET L v NX => $-1
        SET L v XX => +OK
        GET L => $"v"
        """);

    [Fact]
    public void GetRepliesTheOldValue() => DataCommands.Play("""
        SET k v GET => $-1
        SET k 12 GET => $"v"
        SET k x GET XX => $"12"
        SET k y NX GET => $"x"
        GET k => $"x"
        SET new v GET NX => $-1
        GET new => $"v"
        SET other v GET XX => $-1
        @stored other => missing
        SET k z GET GET => $"x"
        @events => Set k, Set k, Set k, Set new, Set k
        @foreign L
        SET L v GET => -WRONGTYPE Operation against a key holding the wrong kind of value
        SET L v GET NX => -WRONGTYPE Operation against a key holding the wrong kind of value
        SET L v GET XX => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void OptionErrors() => DataCommands.Play("""
        @foreign L
        SET k v foo => -ERR syntax error
        SET k v EX => -ERR syntax error
        SET k v PXAT => -ERR syntax error
        SET k v EX 5 PX 5 => -ERR syntax error
        SET k v EX 5 EXAT 5 => -ERR syntax error
        SET k v KEEPTTL EX 5 => -ERR syntax error
        SET k v PX 5 KEEPTTL => -ERR syntax error
        SET k v PERSIST => -ERR syntax error
        SET k v EX 0 => -ERR invalid expire time in 'set' command
        SET k v EX -1 => -ERR invalid expire time in 'set' command
        SET k v PX 0 => -ERR invalid expire time in 'set' command
        SET k v EXAT 0 => -ERR invalid expire time in 'set' command
        SET k v EX abc => -ERR value is not an integer or out of range
        SET k v EX 1.5 => -ERR value is not an integer or out of range
        SET k v PX 9223372036854775807 => -ERR invalid expire time in 'set' command
        SET k v EX 9223372036854775807 => -ERR invalid expire time in 'set' command
        SET k v EXAT 9223372036854776 => -ERR invalid expire time in 'set' command
        SET k v XX EX abc => -ERR value is not an integer or out of range
        SET L v GET EX abc => -ERR value is not an integer or out of range
        SET L v GET EX 0 => -ERR invalid expire time in 'set' command
        SET L v GET foo => -ERR syntax error
        SET k v XX EX 0 => -ERR invalid expire time in 'set' command
        @changes => 0
        @stored k => missing
        """);

    [Fact]
    public void SetNxKeepsWhatIsThere() => DataCommands.Play("""
        SETNX k v => :1
        @events => Set k
        SETNX k w => :0
        @changes => 0
        GET k => $"v"
        @foreign L
        SETNX L v => :0
        """);

    [Fact]
    public void SetExErrors() => DataCommands.Play("""
        SETEX k abc v => -ERR value is not an integer or out of range
        SETEX k 0 v => -ERR invalid expire time in 'setex' command
        SETEX k -1 v => -ERR invalid expire time in 'setex' command
        SETEX k 9223372036854775807 v => -ERR invalid expire time in 'setex' command
        SETEX k 9223372036854775 v => -ERR invalid expire time in 'setex' command
        PSETEX k abc v => -ERR value is not an integer or out of range
        PSETEX k 0 v => -ERR invalid expire time in 'psetex' command
        PSETEX k -1 v => -ERR invalid expire time in 'psetex' command
        PSETEX k 9223372036854775807 v => -ERR invalid expire time in 'psetex' command
        @changes => 0
        @stored k => missing
        """);
}
