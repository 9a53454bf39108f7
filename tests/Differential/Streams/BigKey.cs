using System;
using System.Collections.Generic;
using System.Globalization;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>A type's big key: how its elements are made, and what is done to them.</summary>
/// <param name="Name">The type, which a test names it by.</param>
/// <param name="Fill">The command that adds an element of a number.</param>
/// <param name="Commands">Commands, in which <c>@</c> is the key, <c>#</c> the element's number, <c>%</c> the
/// next number, <c>~</c> half of the number, <c>^</c> a number that only grows.</param>
/// <param name="Probes">What is asked for at the end, of the whole key.</param>
internal sealed record BigKey(string Name, string Fill, string[] Commands, string[] Probes)
{
    /// <summary>How many elements it has to begin with.</summary>
    public const int Count = 100_000;

    private static readonly BigKey[] s_all =
    [
        new("zset", "ZADD @ ~ m#",
        [
            "ZADD @ ~ m#", "ZADD @ ~ m%", "ZADD @ % m#", "ZADD @ XX CH # m#", "ZADD @ GT ~ m#",
            "ZADD @ NX ~ m#", "ZADD @ ~ m# # m%", "ZINCRBY @ 0.5 m#", "ZINCRBY @ -40000 m#",
            "ZREM @ m#", "ZREM @ m# m%", "ZSCORE @ m#", "ZMSCORE @ m# m%", "ZRANK @ m#", "ZREVRANK @ m#",
            "ZRANGE @ # %", "ZREVRANGE @ # %",
            "ZRANGEBYSCORE @ ~ ~", "ZREVRANGEBYSCORE @ ~ -inf LIMIT 1 2", "ZCOUNT @ ~ +inf",
            "ZRANGE @ (~ +inf BYSCORE LIMIT 0 2", "ZPOPMIN @", "ZPOPMAX @", "ZPOPMIN @ 2",
            "ZMPOP 1 @ MAX COUNT 2", "ZREMRANGEBYRANK @ # #", "ZREMRANGEBYSCORE @ ~ ~", "ZCARD @",
        ],
        ["ZCARD @", "ZRANGE @ 0 -1 WITHSCORES"]),
        new("hash", "HSET @ f# #",
        [
            "HSET @ f# #", "HSET @ f# # f% a", "HSET @ f# longer-than-before-#", "HSET @ f# %", "HGET @ f#",
            "HDEL @ f#", "HDEL @ f# f%", "HINCRBY @ f# 7", "HINCRBYFLOAT @ f# 0.5", "HSETNX @ f# new",
            "HEXISTS @ f#", "HSTRLEN @ f#", "HMGET @ f# f% f#", "HLEN @",
        ],
        ["HLEN @", "HGETALL @"]),
        new("set", "SADD @ m#",
        [
            "SADD @ m#", "SADD @ m# m%", "SREM @ m#", "SREM @ m# m%", "SISMEMBER @ m#", "SMISMEMBER @ m# m%",
            "SMOVE @ moved m#", "SMOVE moved @ m#", "SADD @ #", "SREM @ #", "SCARD @",
        ],
        ["SCARD @", "SMEMBERS @"]),
        new("intset", "SADD @ #",
        [
            "SADD @ #", "SADD @ # %", "SREM @ #", "SISMEMBER @ #", "SMISMEMBER @ # %", "SMOVE @ moved #",
            "SMOVE moved @ #", "SCARD @",
        ],
        ["SCARD @", "SMEMBERS @"]),
        new("list", "RPUSH @ e#",
        [
            "RPUSH @ e#", "LPUSH @ e#", "RPUSH @ e# e%", "LPUSHX @ e#", "LPOP @", "RPOP @", "LPOP @ 2",
            "LINDEX @ #", "LINDEX @ -%", "LSET @ # s#", "LSET @ # longer-than-it-was-before-#",
            "LRANGE @ # %", "LMOVE @ @ LEFT RIGHT", "LMOVE @ moved RIGHT LEFT", "LMOVE moved @ LEFT RIGHT",
            "LLEN @",
        ],
        ["LLEN @", "LRANGE @ 0 -1"]),
        new("stream", "XADD @ ^-1 f #",
        [
            "XADD @ ^-* f # g %", "XADD @ #-1 f late", "XRANGE @ #-1 %-1", "XREVRANGE @ %-9 # COUNT 2",
            "XDEL @ #-1", "XREAD COUNT 1 STREAMS @ #-1", "XLEN @", "XREADGROUP GROUP g c COUNT 1 STREAMS @ >",
            "XACK @ g #-1", "XCLAIM @ g other 0 #-1 JUSTID",
        ],
        ["XLEN @", "XRANGE @ - +", "XPENDING @ g"]),
        new("geo", "GEOADD @ 1.# 2.# p#",
        [
            "GEOADD @ 1.# 2.# p#", "GEOADD @ 3.# 4.% p#", "GEOADD @ CH 1.% 2.# p# 1.# 2.# p%", "GEOHASH @ p#",
            "GEODIST @ p# p%", "GEOSEARCH @ FROMMEMBER p# BYRADIUS 3 m", "ZREM @ p#", "ZSCORE @ p#",
        ],
        ["ZCARD @", "ZRANGE @ 0 -1"]),
        new("string", "SETRANGE @ # x",
        [
            "SETRANGE @ # y", "SETRANGE @ # a-longer-piece-%", "GETRANGE @ # %", "GETBIT @ #", "SETBIT @ # 1",
            "SETBIT @ % 0", "BITFIELD @ INCRBY u5 # 3 GET u8 %", "APPEND @ #", "STRLEN @", "BITPOS @ 1 #",
        ],
        ["STRLEN @", "GET @"]),
        new("keys", "SET k# #",
        [
            "SET k# #", "SET k# % GET", "GET k#", "DEL k#", "DEL k# k%", "INCR k#", "APPEND k# x",
            "STRLEN k#", "EXISTS k# k%", "MGET k# k%", "MSET k# # k% %", "SETNX k# #", "GETDEL k#",
            "RENAME k# k%", "EXPIRE k# 90000", "PERSIST k#", "TYPE k#", "GETSET k# #", "TOUCH k#",
            "UNLINK k#",
        ],
        ["DBSIZE", "KEYS *"]),
    ];

    private long _last;

    /// <summary>The names of all.</summary>
    public static IEnumerable<string> Names => Array.ConvertAll(s_all, static one => one.Name);

    /// <summary>The one of a name, new.</summary>
    public static BigKey Of(string name) => Array.Find(s_all, one => one.Name == name)! with { };

    /// <summary>A command's words, for a key and the number of an element.</summary>
    public string[] Words(string command, string key, int number)
    {
        string grown = "";
        if (command.Contains('^', StringComparison.Ordinal))
            grown = (++_last).ToString(CultureInfo.InvariantCulture);
        string text = number.ToString(CultureInfo.InvariantCulture);
        return Array.ConvertAll(command.Split(' '), word => word
            .Replace("#", text, StringComparison.Ordinal)
            .Replace("%", $"{number + 1}", StringComparison.Ordinal)
            .Replace("~", (number / 2.0).ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace("^", grown, StringComparison.Ordinal)
            .Replace("@", key, StringComparison.Ordinal));
    }
}
