using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>LCS.</summary>
public sealed class LcsCommandsTests
{
    [Fact]
    public void TextLengthAndMatches() => DataCommands.Play("""
        SET a ohmytext => +OK
        SET b mynewtext => +OK
        LCS a b => $"mytext"
        LCS b a => $"mytext"
        LCS a b LEN => :6
        LCS a b IDX => *[$"matches", *[*[*[:4, :7], *[:5, :8]], *[*[:2, :3], *[:0, :1]]], $"len", :6]
        LCS b a IDX => *[$"matches", *[*[*[:5, :8], *[:4, :7]], *[*[:0, :1], *[:2, :3]]], $"len", :6]
        LCS a b IDX WITHMATCHLEN
        => *[$"matches", *[*[*[:4, :7], *[:5, :8], :4], *[*[:2, :3], *[:0, :1], :2]], $"len", :6]
        LCS a b IDX MINMATCHLEN 4 => *[$"matches", *[*[*[:4, :7], *[:5, :8]]], $"len", :6]
        LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN => *[$"matches", *[*[*[:4, :7], *[:5, :8], :4]], $"len", :6]
        LCS a b IDX MINMATCHLEN 5 => *[$"matches", *[], $"len", :6]
        LCS a b IDX MINMATCHLEN -5
        => *[$"matches", *[*[*[:4, :7], *[:5, :8]], *[*[:2, :3], *[:0, :1]]], $"len", :6]
        LCS a b WITHMATCHLEN => $"mytext"
        LCS a b MINMATCHLEN 3 => $"mytext"
        LCS a b MINMATCHLEN 3 LEN => :6
        LCS a b LEN LEN => :6
        LCS a a IDX => *[$"matches", *[*[*[:0, :7], *[:0, :7]]], $"len", :8]
        @resp 3
        LCS a b IDX => %[$"matches", *[*[*[:4, :7], *[:5, :8]], *[*[:2, :3], *[:0, :1]]], $"len", :6]
        """);

    [Fact]
    public void EmptyMissingAndIntegers() => DataCommands.Play("""
        SET b mynewtext => +OK
        SET n 12345 => +OK
        SET m 10325 => +OK
        SET e "" => +OK
        LCS nokey b => $""
        LCS nokey b LEN => :0
        LCS nokey b IDX => *[$"matches", *[], $"len", :0]
        LCS nokey other => $""
        LCS e b => $""
        LCS e b IDX => *[$"matches", *[], $"len", :0]
        LCS n n => $"12345"
        LCS n m => $"135"
        LCS n m IDX
        => *[$"matches", *[*[*[:4, :4], *[:4, :4]], *[*[:2, :2], *[:2, :2]], *[*[:0, :0], *[:0, :0]]],
        .. $"len", :3]
        LCS m n IDX WITHMATCHLEN
        => *[$"matches", *[*[*[:4, :4], *[:4, :4], :1], *[*[:3, :3], *[:1, :1], :1], *[*[:0, :0], *[:0,
        .. :0], :1]], $"len", :3]
        """);

    [Fact]
    public void TiesGoAsInRedis() => DataCommands.Play("""
        SET a abcabba => +OK
        SET b cbabac => +OK
        LCS a b => $"cbba"
        LCS b a => $"baba"
        LCS a b IDX
        => *[$"matches", *[*[*[:5, :6], *[:3, :4]], *[*[:4, :4], *[:1, :1]], *[*[:2, :2], *[:0, :0]]],
        .. $"len", :4]
        LCS b a IDX
        => *[$"matches", *[*[*[:3, :4], *[:5, :6]], *[*[:2, :2], *[:3, :3]], *[*[:1, :1], *[:1, :1]]],
        .. $"len", :4]
        SET a abab => +OK
        SET b baba => +OK
        LCS a b => $"bab"
        LCS b a => $"aba"
        LCS a b IDX => *[$"matches", *[*[*[:1, :3], *[:0, :2]]], $"len", :3]
        LCS b a IDX => *[$"matches", *[*[*[:1, :3], *[:0, :2]]], $"len", :3]
        SET a xaxbxcxdx => +OK
        SET b yaybycydy => +OK
        LCS a b IDX
        => *[$"matches", *[*[*[:7, :7], *[:7, :7]], *[*[:5, :5], *[:5, :5]], *[*[:3, :3], *[:3, :3]],
        .. *[*[:1, :1], *[:1, :1]]], $"len", :4]
        SET a aaaa => +OK
        SET b aa => +OK
        LCS a b IDX => *[$"matches", *[*[*[:2, :3], *[:0, :1]]], $"len", :2]
        LCS b a IDX => *[$"matches", *[*[*[:0, :1], *[:2, :3]]], $"len", :2]
        SET a 11010011100 => +OK
        SET b 0011011101010001 => +OK
        LCS a b => $"110111100"
        LCS b a => $"110100100"
        LCS a b IDX
        => *[$"matches", *[*[*[:9, :10], *[:13, :14]], *[*[:8, :8], *[:11, :11]], *[*[:7, :7], *[:9, :9]],
        .. *[*[:6, :6], *[:7, :7]], *[*[:0, :3], *[:2, :5]]], $"len", :9]
        LCS b a IDX
        => *[$"matches", *[*[*[:13, :14], *[:9, :10]], *[*[:10, :11], *[:5, :6]], *[*[:7, :8], *[:3, :4]],
        .. *[*[:2, :4], *[:0, :2]]], $"len", :9]
        SET a GATTACAGATTACACATGATTACA => +OK
        SET b ACATGATTACATTAGACCAGATTA => +OK
        LCS a b => $"GATTACATTAACAGATTA"
        LCS b a => $"GATTACATTACCAGATTA"
        LCS a b IDX
        => *[$"matches", *[*[*[:23, :23], *[:23, :23]], *[*[:17, :20], *[:19, :22]], *[*[:14, :15], *[:17,
        .. :18]], *[*[:13, :13], *[:15, :15]], *[*[:8, :11], *[:10, :13]], *[*[:0, :5], *[:4, :9]]],
        .. $"len", :18]
        LCS b a IDX
        => *[$"matches", *[*[*[:23, :23], *[:23, :23]], *[*[:19, :22], *[:17, :20]], *[*[:17, :18], *[:14,
        .. :15]], *[*[:15, :16], *[:11, :12]], *[*[:10, :12], *[:8, :10]], *[*[:4, :9], *[:0, :5]]],
        .. $"len", :18]
        """);

    [Fact]
    public void ErrorsInOrder() => DataCommands.Play("""
        SET a x => +OK
        SET b y => +OK
        @foreign L
        LCS L b => -ERR The specified keys must contain string values
        LCS b L => -ERR The specified keys must contain string values
        LCS L b foo => -ERR The specified keys must contain string values
        LCS b L LEN IDX => -ERR The specified keys must contain string values
        LCS a b foo => -ERR syntax error
        LCS a b LEN IDX => -ERR If you want both the length and indexes, please just use IDX.
        LCS a b IDX IDX LEN => -ERR If you want both the length and indexes, please just use IDX.
        LCS a b MINMATCHLEN => -ERR syntax error
        LCS a b MINMATCHLEN abc => -ERR value is not an integer or out of range
        LCS a b IDX MINMATCHLEN 99999999999999999999 => -ERR value is not an integer or out of range
        LCS a b LEN IDX foo => -ERR syntax error
        """);
}
