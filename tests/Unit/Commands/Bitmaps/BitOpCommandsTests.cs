using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Bitmaps;

/// <summary>BITOP.</summary>
public sealed class BitOpCommandsTests
{
    [Fact]
    public void ClassicOperations() => DataCommands.Play("""
        SET a foobar => +OK
        SET b abcdef => +OK
        BITOP AND d a b => :6
        GET d => $"`bc`ab"
        @stored d => Raw
        @events => Set a, Set b, Set d
        @changes => 0
        BITOP or d a b => :6
        GET d => $"goofev"
        BITOP XOR d a b => :6
        GET d => $"\x07\x0d\x0c\x06\x04\x14"
        BITOP NOT d a => :6
        GET d => $"\x99\x90\x90\x9d\x9e\x8d"
        SET s ab => +OK
        BITOP AND d a s => :6
        GET d => $"`b\x00\x00\x00\x00"
        BITOP AND d s a => :6
        GET d => $"`b\x00\x00\x00\x00"
        BITOP OR d s a b => :6
        GET d => $"goofev"
        BITOP XOR d s a s => :6
        GET d => $"foobar"
        BITOP AND d a => :6
        GET d => $"foobar"
        """);

    [Fact]
    public void TheTargetMayBeASource() => DataCommands.Play("""
        SET a foobar => +OK
        SET b abc => +OK
        BITOP OR a a b => :6
        GET a => $"goobar"
        BITOP NOT b b => :3
        GET b => $"\x9e\x9d\x9c"
        SET n 1 => +OK
        SET m 2 => +OK
        BITOP OR n n m => :1
        @stored n => Raw
        GET n => $"3"
        @foreign L
        BITOP OR L a => :6
        GET L => $"goobar"
        """);

    [Fact]
    public void NothingMakesNothing() => DataCommands.Play("""
        BITOP AND d nokey other => :0
        @changes => 0
        SET d x => +OK
        SET e "" => +OK
        @events => Set d, Set e
        BITOP AND d nokey e => :0
        @events => Deleted d
        @changes => 1
        @stored d => missing
        SET m foobar => +OK
        BITOP AND d nokey m => :6
        GET d => $"\x00\x00\x00\x00\x00\x00"
        BITOP NOT d nokey => :0
        @stored d => missing
        BITOP OR d m nokey => :6
        GET d => $"foobar"
        @foreign L
        BITOP OR L nokey => :0
        @stored L => missing
        """);

    [Fact]
    public void NewOperations() => DataCommands.Play("""
        SET x \xf0\xff\x0f
        SET y \x3c\x00
        SET z \x0f\x01\xff\x80
        BITOP DIFF d x y z => :4
        GET d => $"\xc0\xfe\x00\x00"
        BITOP DIFF1 d x y z => :4
        GET d => $"\x0f\x00\xf0\x80"
        BITOP ANDOR d x y z => :4
        GET d => $"0\x01\x0f\x00"
        BITOP ONE d x y z => :4
        GET d => $"\xc3\xfe\xf0\x80"
        BITOP one d x => :3
        GET d => $"\xf0\xff\x0f"
        BITOP DIFF x x y => :3
        GET x => $"\xc0\xff\x0f"
        BITOP DIFF d nokey x => :3
        GET d => $"\x00\x00\x00"
        BITOP DIFF1 d nokey x => :3
        GET d => $"\xc0\xff\x0f"
        """);

    [Fact]
    public void ErrorsInOrder() => DataCommands.Play("""
        SET a x => +OK
        @foreign L
        BITOP foo d a => -ERR syntax error
        BITOP foo d L => -ERR syntax error
        BITOP NOT d a b => -ERR BITOP NOT must be called with a single source key.
        BITOP NOT d L => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITOP NOT d L L => -ERR BITOP NOT must be called with a single source key.
        BITOP AND d a L => -WRONGTYPE Operation against a key holding the wrong kind of value
        BITOP DIFF d a => -ERR BITOP DIFF must be called with at least two source keys.
        BITOP diff1 d a => -ERR BITOP DIFF1 must be called with at least two source keys.
        BITOP andor d L => -ERR BITOP ANDOR must be called with at least two source keys.
        @stored d => missing
        """);
}
