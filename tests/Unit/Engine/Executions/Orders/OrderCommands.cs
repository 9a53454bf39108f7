using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Unit.Engine.Executions.Orders;

/// <summary>Commands by chance on a few keys, most of them such as may be long.</summary>
internal sealed class OrderCommands
{
    // More than a command of a few arguments.
    private const int ManyCount = 70;
    private const int CornerCount = 40;
    private const int BigLength = 70_000;

    private static readonly string[] s_keys = ["l", "n", "s", "t", "z", "g", "b", "c", "x"];
    private static readonly string[] s_control = ["MULTI", "WATCH", "UNWATCH", "SELECT"];
    private RandomSource _random;
    private int _idLast;

    /// <summary>Makes it.</summary>
    public OrderCommands(ulong seed) => _random = new RandomSource(seed + 1);

    /// <summary>A command.</summary>
    /// <param name="isQueued">Whether it is for a transaction.</param>
    public OrderCommand Make(bool isQueued)
    {
        if (isQueued && Below(4) == 0)
            return new OrderCommand([Below(8) == 0 ? "DISCARD" : "EXEC"], false);
        (string line, bool isWriting) = Below(10) switch
        {
            0 => isQueued ? ("SELECT 0", false) : (Control(), false),
            1 => (Read(), false),
            2 => (Keys(), true),
            3 or 4 => (Change(), true),
            5 => (SortStore(), true),
            6 => (Combine(), true),
            7 => (Geo(), true),
            _ => (Edit(), true),
        };
        string[] words = [.. line.Split(' ').Select(static word => word == "EMPTY" ? "" : word)];
        return new OrderCommand(words, isWriting);
    }

    private string Control() => Pick(s_control) switch
    {
        "WATCH" => $"WATCH {Any()} {Any()}",
        "SELECT" => $"SELECT {(Below(4) == 0 ? 1 : 0)}",
        { } word => word,
    };

    private string Read() => Below(9) switch
    {
        0 => $"LRANGE {Key("l")} 0 -1",
        1 => $"ZRANGE {Key("z")} 0 -1 WITHSCORES",
        2 => $"SORT {Key("s")} ALPHA",
        3 => $"SORT {Key("l")} BY w* GET w* GET # DESC",
        4 => $"SORT {Key("n")} LIMIT 1 3",
        5 => $"ZUNION 2 {Key("z")} {Key("s")} WITHSCORES",
        6 => $"XREAD COUNT 5 STREAMS {Key("x")} {Any()} 0 0",
        7 => $"BITCOUNT {Key("b")}",
        _ => $"SINTERCARD 2 {Key("s")} {Key("t")}",
    };

    private string Keys() => Below(12) switch
    {
        0 => "SWAPDB 0 1",
        1 when Below(4) == 0 => "FLUSHDB ASYNC",
        2 or 3 => $"DEL {Any()}",
        4 or 5 => $"RENAME {Any()} {Any()}",
        6 => $"COPY {Any()} {Any()} REPLACE",
        7 => $"PEXPIRE {Any()} {Below(9)}",
        8 => $"PERSIST {Any()}",
        9 => $"MOVE {Any()} 1",
        10 => $"DEL {Many(_ => Any())}",
        _ => $"MSET wa {Below(9)} wb {Below(9)} w1 {Below(9)}",
    };

    private string Change() => Below(12) switch
    {
        0 or 1 => $"RPUSH {Key("l")} {Element()} {Element()} {Element()} {Element()} {Element()}",
        2 or 3 => $"RPUSH {Key("n")} {Below(99)} {Below(99)} {Below(99)} {Below(99)}",
        4 => $"LPOP {Key("l")}",
        5 => $"SADD {Key("s")} {Element()} {Element()} {Element()}",
        6 => $"SADD {Key("t")} {Many(_ => Element())}",
        7 => $"SREM {Key("s")} {Element()}",
        8 or 9 => $"ZADD {Key("z")} {Below(9)} {Element()} {Below(9)} {Element()} {Below(9)} {Element()}",
        10 => $"SETRANGE {Key("b")} {(Below(3) == 0 ? BigLength : Below(20))} {Element()}",
        _ => $"XADD {Key("x")} {++_idLast} f {Element()}",
    };

    private string Edit() => Below(9) switch
    {
        0 or 1 => $"LREM {Key("l")} {Below(5) - 2} {Element()}",
        2 => $"LREM {Key("n")} 0 {Below(99)}",
        3 or 4 => $"LINSERT {Key("l")} {Pick("BEFORE", "AFTER")} {Element()} {Element()}",
        5 => $"ZREMRANGEBYRANK {Key("z")} {Below(3)} {Below(4)}",
        6 => $"ZREMRANGEBYSCORE {Key("z")} {Below(5)} {Below(9)}",
        7 => $"ZREMRANGEBYLEX {Key("z")} - [{Element()}",
        _ => $"LTRIM {Key("l")} {Below(3)} -{1 + Below(3)}",
    };

    private string SortStore() => Below(6) switch
    {
        0 => $"SORT {Key("l")} ALPHA STORE {Any()}",
        1 => $"SORT {Key("n")} DESC STORE {Any()}",
        2 => $"SORT {Key("l")} STORE {Any()}",
        3 => $"SORT {Key("l")} BY w* GET w* STORE {Any()}",
        4 => $"SORT {Key("s")} ALPHA LIMIT 1 2 STORE {Any()}",
        _ => $"SORT {Key("n")} BY nosort LIMIT 0 3 STORE {Any()}",
    };

    private string Combine() => Below(9) switch
    {
        0 => $"SUNIONSTORE {Any()} {Key("s")} {Key("t")}",
        1 => $"SINTERSTORE {Any()} {Key("s")} {Key("t")}",
        2 => $"SDIFFSTORE {Any()} {Key("s")} {Key("t")}",
        3 => $"SUNIONSTORE {Any()} {Many(_ => Pick("s", "t"))}",
        4 => $"ZUNIONSTORE {Any()} 2 {Key("z")} {Key("s")} WEIGHTS 2 1",
        5 => $"ZINTERSTORE {Any()} 2 {Key("z")} {Key("s")}",
        6 => $"ZRANGESTORE {Any()} {Key("z")} {Below(3)} -1",
        7 => $"BITOP {Pick("OR", "XOR", "AND")} {Any()} {Key("b")} {Key("c")}",
        _ => $"BITOP OR {Any()} {Many(_ => Pick("b", "c"))}",
    };

    private string Geo() => Below(6) switch
    {
        0 or 1 => $"GEOADD {Key("g")} {Place()} {Element()} {Place()} {Element()} {Place()} {Element()}",
        2 => $"GEOSEARCHSTORE {Any()} {Key("g")} FROMLONLAT 0.5 0.5 BYRADIUS {Below(90)} km STOREDIST",
        3 => $"GEOSEARCHSTORE {Any()} {Key("g")} FROMMEMBER {Element()} BYBOX {Below(90)} 50 km",
        4 => $"GEOSEARCHSTORE {Any()} {Key("g")} {Polygon()}",
        _ => $"GEORADIUS {Key("g")} 0.5 0.5 {Below(90)} km STORE {Any()}",
    };

    // A key that most often has the type that it is named for.
    private string Key(string name) => Below(12) == 0 ? Any() : name;

    private string Any() => Pick(s_keys);

    private string Element() => Pick("a", "b", "1", "2", "7", "cc", "EMPTY", "dddddddddddddddddddddddd");

    private string Place() => string.Create(
        CultureInfo.InvariantCulture, $"{Below(100) / 100.0} {Below(100) / 100.0}");

    private string Polygon()
    {
        double radius = (1 + Below(9)) / 20.0;
        IEnumerable<string> corners = Enumerable.Range(0, CornerCount).Select(corner =>
        {
            double angle = 2 * Math.PI * corner / CornerCount;
            double longitude = 0.5 + (radius * Math.Cos(angle));
            double latitude = 0.5 + (radius * Math.Sin(angle));
            return string.Create(CultureInfo.InvariantCulture, $"{longitude:F4} {latitude:F4}");
        });
        return $"BYPOLYGON {CornerCount} {string.Join(' ', corners)}";
    }

    private static string Many(Func<int, string> make) =>
        string.Join(' ', Enumerable.Range(0, ManyCount).Select(make));

    private int Below(int end) => (int)_random.NextBelow((ulong)end);

    private string Pick(params string[] words) => words[Below(words.Length)];
}
