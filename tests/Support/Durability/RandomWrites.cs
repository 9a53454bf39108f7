using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>Random commands that change keys of every type and size, in place and otherwise.</summary>
public sealed class RandomWrites(ulong seed)
{
    private const int KeysPerType = 6;

    // {s} names a string, {n} a counter, {l} a list, {h} a hash, {t} a set, {z} a sorted set, {x} a stream,
    // {p} a HyperLogLog, {k} any key; {m} is a member, {i} a number, {v} a value, {d} a deadline in
    // milliseconds from now, {e} an ID of a stream's entry.
    private static readonly string[] s_templates =
    [
        "SET {s} {v}", "SET {s} {v} PX {d}", "SET {s} {v} KEEPTTL", "SET {k} {v}", "APPEND {s} {v}",
        "SETRANGE {s} {i} {v}", "SETBIT {s} {i} 1", "GETSET {s} {v}", "GETDEL {s}", "GETEX {s} PX {d}",
        "GETEX {s} PERSIST", "MSET {s} {v} {s} {v}", "BITOP XOR {s} {s} {s}", "BITFIELD {s} INCRBY u8 {i} 3",
        "INCR {n}", "INCRBYFLOAT {n} 0.5", "DECRBY {n} {i}", "PFADD {p} {m} {m}", "PFMERGE {p} {p}",
        "PFCOUNT {p}",
        "LPUSH {l} {m} {m}", "RPUSH {l} {v}", "LPOP {l}", "RPOP {l} 3", "LSET {l} 0 {v}", "LSET {l} -2 {m}",
        "LINSERT {l} BEFORE {m} {v}", "LREM {l} 1 {m}", "LTRIM {l} 1 -2", "LMOVE {l} {l} LEFT RIGHT",
        "RPOPLPUSH {l} {l}", "LMPOP 2 {l} {l} RIGHT COUNT 2", "LPUSHX {l} {m}", "SORT {t} ALPHA STORE {l}",
        "HSET {h} {m} {v}", "HSET {h} {m} {m} {m} {m}", "HDEL {h} {m} {m}", "HINCRBY {h} c 1",
        "HINCRBYFLOAT {h} f 1.5", "HPEXPIRE {h} {d} FIELDS 2 {m} {m}", "HPERSIST {h} FIELDS 1 {m}",
        "HGETDEL {h} FIELDS 1 {m}", "HGETEX {h} PX {d} FIELDS 1 {m}", "HSETEX {h} PX {d} FIELDS 1 {m} {v}",
        "HSETNX {h} {m} {v}",
        "SADD {t} {m} {m}", "SADD {t} {i}", "SREM {t} {m}", "SPOP {t}", "SPOP {t} 3", "SMOVE {t} {t} {m}",
        "SUNIONSTORE {t} {t} {t}", "SINTERSTORE {t} {t} {t}", "SDIFFSTORE {t} {t} {t}",
        "ZADD {z} {i} {m}", "ZADD {z} {i} {m} {i} {m}", "ZINCRBY {z} 2 {m}", "ZREM {z} {m}", "ZPOPMIN {z}",
        "ZPOPMAX {z} 2", "ZREMRANGEBYRANK {z} 1 2", "ZREMRANGEBYSCORE {z} 10 12", "ZUNIONSTORE {z} 2 {z} {z}",
        "ZINTERSTORE {z} 2 {z} {t}", "ZRANGESTORE {z} {z} 0 5", "GEOADD {z} 13.3 38.1 {m}",
        "ZADD {z} GT CH {i} {m}", "ZMPOP 1 {z} MIN",
        "XADD {x} * f {v}", "XADD {x} MAXLEN ~ 100 * f {m} g {m}", "XDEL {x} {e}", "XTRIM {x} MAXLEN 50",
        "XGROUP CREATE {x} g 0 MKSTREAM", "XREADGROUP GROUP g c{i} COUNT 3 STREAMS {x} >", "XACK {x} g {e}",
        "XCLAIM {x} g d 0 {e}", "XAUTOCLAIM {x} g e 0 0 COUNT 2", "XGROUP SETID {x} g $",
        "XGROUP CREATECONSUMER {x} g z", "XGROUP DELCONSUMER {x} g c1", "XSETID {x} 9999999999999-0",
        "XADD {x} NOMKSTREAM {e} f {m}",
        "DEL {k} {k}", "UNLINK {k}", "RENAME {k} {k}", "RENAMENX {k} {k}", "COPY {k} {k} REPLACE",
        "COPY {k} {k} DB 2 REPLACE", "MOVE {k} 1", "MOVE {k} 2", "PEXPIRE {k} {d}", "PERSIST {k}",
        "PEXPIRE {k} 0", "SWAPDB 0 1", "TOUCH {k}", "OBJECT FREQ {k}",
    ];

    private RandomSource _random = new(seed);

    /// <summary>Commands that make some values of every type too big to lie in their entries.</summary>
    public IEnumerable<string[]> Population()
    {
        yield return ["SET", "s0", new string('x', 200_000)];
        yield return ["SET", "s1", new string('y', 60_000)];
        yield return ["RPUSH", "l0", .. Numbers(4_000)];
        yield return ["RPUSH", "l1", .. Numbers(40)];
        yield return ["HSET", "h0", .. Numbers(2_000)];
        yield return ["HPEXPIRE", "h0", "100000", "FIELDS", "2", "2", "6"];
        yield return ["SADD", "t0", .. Numbers(3_000), "word"];
        yield return ["SADD", "t1", .. Numbers(2_000)];
        yield return ["ZADD", "z0", .. Numbers(2_000)];
        for (int count = 0; count < 300; count++)
            yield return ["XADD", "x0", $"{count + 1}-0", "field", $"value {count}"];
        yield return ["XGROUP", "CREATE", "x0", "g", "0"];
        yield return ["XREADGROUP", "GROUP", "g", "c1", "COUNT", "200", "STREAMS", "x0", ">"];
        for (int count = 0; count < 200; count++)
            yield return ["SET", $"s{100 + count}", $"{count}"];
    }

    /// <summary>A number below another.</summary>
    public int Below(int end) => (int)_random.NextBelow((ulong)end);

    /// <summary>One command.</summary>
    public string[] Next() => [.. s_templates[Below(s_templates.Length)].Split(' ').Select(Word)];

    private static IEnumerable<string> Numbers(int count) =>
        Enumerable.Range(0, count).Select(number => number.ToString(CultureInfo.InvariantCulture));

    private string Word(string word) => word switch
    {
        "{k}" => Key("snlhtzxp"[Below(8)]),
        "{m}" => Below(3) == 0 ? $"member {Below(50)}" : Text(Below(3_000)),
        "{i}" => Text(Below(500)),
        "{d}" => Text(Below(200) + 1),
        "{e}" => $"{Below(320)}-0",
        "{v}" => Below(12) switch
        {
            0 => new string('b', 70_000 + Below(9)),
            1 => new string('c', 300 + Below(300)),
            2 => Text(Below(1_000)),
            _ => $"value {Below(1_000)}",
        },
        "c{i}" => $"c{Below(3)}",
        ['{', char type, '}'] => Key(type),
        _ => word,
    };

    private string Key(char type) =>
        type == 's' && Below(2) == 0 ? $"s{100 + Below(200)}" : $"{type}{Below(KeysPerType)}";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
