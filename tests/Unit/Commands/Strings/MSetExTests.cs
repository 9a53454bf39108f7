using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>MSETEX, by Redis 8.6's documentation.</summary>
public sealed class MSetExTests
{
    [Fact]
    public void StoresAllWithOneExpiry() => DataCommands.Play("""
        MSETEX 2 a 1 b bytes EX 5 => :1
        @changes => 2
        @events => Set a, Expire a, Set b, Expire b
        @stored a => Int 5000 ms
        @stored b => Embstr 5000 ms
        MSETEX 1 a 2 PX 700 => :1
        @stored a => Int 700 ms
        MSETEX 1 a 2 EXAT 1750000100 => :1
        @stored a => Int 100000 ms
        MSETEX 1 a 2 PXAT 1750000000300 => :1
        @stored a => Int 300 ms
        MSETEX 2 a x b y KEEPTTL => :1
        @stored a => Embstr 300 ms
        @stored b => Embstr 5000 ms
        MSETEX 1 a x => :1
        @stored a => Embstr
        MSETEX 2 c 1 c 2 => :1
        GET c => $"2"
        @foreign L
        MSETEX 1 L v => :1
        GET L => $"v"
        """);

    [Fact]
    public void ConditionsHoldForAllKeys() => DataCommands.Play("""
        MSETEX 2 a 1 b 2 XX => :0
        @changes => 0
        MSETEX 2 a 1 b 2 NX EX 10 => :1
        MSETEX 2 a 3 c 4 NX => :0
        MSETEX 2 a 3 c 4 XX => :0
        MSETEX 2 a 3 b 4 px 100 xx => :1
        MGET a b c => *[$"3", $"4", $-1]
        """);

    [Fact]
    public void ErrorsInOrder() => DataCommands.Play("""
        MSETEX key1 val1 ex 10 => -ERR invalid numkeys value
        MSETEX 0 a 1 => -ERR invalid numkeys value
        MSETEX -1 a 1 => -ERR invalid numkeys value
        MSETEX 2147483648 a 1 EX 10 => -ERR invalid numkeys value
        MSETEX 2147483647 a 1 EX 10 => -ERR wrong number of key-value pairs
        MSETEX 2 a 1 b => -ERR wrong number of key-value pairs
        MSETEX 1 a => -ERR wrong number of key-value pairs
        MSETEX 1 a 1 foo => -ERR syntax error
        MSETEX 1 a 1 GET => -ERR syntax error
        MSETEX 1 a 1 IFEQ 1 => -ERR syntax error
        MSETEX 1 a 1 NX XX EX 10 => -ERR syntax error
        MSETEX 1 a 1 EX 10 PX 10 => -ERR syntax error
        MSETEX 1 a 1 KEEPTTL EX 10 => -ERR syntax error
        MSETEX 1 a 1 EX => -ERR syntax error
        MSETEX 1 a 1 EX abc => -ERR value is not an integer or out of range
        MSETEX 1 a 1 EX 0 => -ERR invalid expire time in 'msetex' command
        MSETEX 1 a 1 EX -1 XX => -ERR invalid expire time in 'msetex' command
        @stored a => missing
        """);
}
