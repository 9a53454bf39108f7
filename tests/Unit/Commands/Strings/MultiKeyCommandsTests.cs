using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>MSET, MSETNX.</summary>
public sealed class MultiKeyCommandsTests
{
    [Fact]
    public void MSetStoresAll() => DataCommands.Play("""
        MSET a 1 b bytes a 2 => +OK
        @changes => 3
        @events => Set a, Set b, Set a
        MGET a b => *[$"2", $"bytes"]
        @stored a => Int
        @foreign L
        MSET L v => +OK
        GET L => $"v"
        MSET a => -ERR wrong number of arguments for 'mset' command
        MSET a 1 b => -ERR wrong number of arguments for 'mset' command
        @changes => 0
        """);

    [Fact]
    public void MSetNxStoresAllOrNone() => DataCommands.Play("""
        MSETNX a 1 b 2 => :1
        @changes => 2
        @events => Set a, Set b
        MSETNX c 3 b 4 => :0
        @changes => 0
        GET c => $-1
        MSETNX d 1 d 2 => :1
        GET d => $"2"
        MSETNX d 1 d 2 => :0
        @foreign L
        MSETNX L 1 e 2 => :0
        MSETNX a => -ERR wrong number of arguments for 'msetnx' command
        MSETNX a 1 b => -ERR wrong number of arguments for 'msetnx' command
        """);
}
