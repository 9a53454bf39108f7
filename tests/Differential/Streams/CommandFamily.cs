using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Commands that are weighed together: those of a type, and what all types share.</summary>
/// <param name="Name">What a test names it by.</param>
/// <param name="Commands">The commands, containers' with a bar. Left out are those whose replies cannot be
/// predicted (random members, cursors of big tables) or that wait: they have tests of their own.</param>
internal sealed record CommandFamily(string Name, string[] Commands)
{
    private static readonly string[] s_shared =
    [
        "copy", "dbsize", "del", "exists", "expire", "keys", "move", "persist", "rename", "renamenx",
        "select", "swapdb", "ttl", "type", "unlink", "flushdb", "object|encoding", "multi", "exec",
        "discard", "watch", "set", "get", "append", "strlen",
    ];

    private static readonly CommandFamily[] s_all =
    [
        new("strings",
        [
            "append", "decr", "decrby", "get", "getdel", "getex", "getrange", "getset", "incr",
            "incrby", "incrbyfloat", "lcs", "mget", "mset", "msetnx", "psetex", "set", "setex", "setnx",
            "setrange", "strlen", "substr", "bitcount", "bitfield", "bitfield_ro", "bitop", "bitpos",
            "getbit", "setbit", "expireat", "expiretime", "pexpire", "pexpireat", "pexpiretime", "pttl",
            "touch", "unwatch", "echo", "ping", "pubsub|channels", "pubsub|numsub", "delifeq", "msetex",
        ]),
        new("lists",
        [
            "lindex", "linsert", "llen", "lmove", "lmpop", "lpop", "lpos", "lpush", "lpushx", "lrange",
            "lrem", "lset", "ltrim", "rpop", "rpoplpush", "rpush", "rpushx", "rpush", "lpush",
        ]),
        new("hashes",
        [
            "hdel", "hexists", "hget", "hgetall", "hincrby", "hincrbyfloat", "hkeys", "hlen", "hmget",
            "hmset", "hset", "hset", "hsetnx", "hstrlen", "hvals", "hexpire", "hexpireat", "hexpiretime",
            "hgetdel", "hgetex", "hpersist", "hpexpire", "hpexpireat", "hpexpiretime", "hpttl", "hsetex",
            "httl",
        ]),
        new("sets",
        [
            "sadd", "sadd", "scard", "sdiff", "sdiffstore", "sinter", "sintercard", "sinterstore",
            "sismember", "smembers", "smismember", "smove", "srem", "sunion", "sunionstore",
        ]),
        new("sortedsets",
        [
            "zadd", "zadd", "zadd", "zcard", "zcount", "zdiff", "zdiffstore", "zincrby", "zinter",
            "zintercard", "zinterstore", "zmpop", "zmscore", "zpopmax", "zpopmin", "zrange",
            "zrangebyscore", "zrangestore", "zrank", "zrem", "zremrangebyrank", "zremrangebyscore",
            "zrevrange", "zrevrangebyscore", "zrevrank", "zscore", "zunion", "zunionstore", "sadd",
        ]),
        new("streams",
        [
            "xadd", "xadd", "xadd", "xlen", "xrange", "xrevrange", "xdel", "xtrim", "xread",
            "xack", "xclaim", "xautoclaim", "xpending", "xreadgroup", "xreadgroup", "xgroup|create",
            "xgroup|create", "xgroup|setid", "xgroup|destroy", "xgroup|createconsumer",
            "xgroup|delconsumer",
        ]),
        new("geo",
        [
            "geoadd", "geoadd", "geodist", "geohash", "geopos", "geosearch", "geosearchstore",
            "georadius", "georadius_ro", "georadiusbymember", "georadiusbymember_ro", "zadd", "zrange",
        ]),
        new("mixed",
        [
            "pfcount", "sort", "sort_ro", "sadd", "rpush", "zadd", "hset", "xadd",
            "lpop", "srem", "zrem", "hdel", "setrange", "incr", "lmove", "smove", "zunionstore",
            "sinterstore", "geoadd", "getrange",
        ]),
    ];

    /// <summary>The names of all.</summary>
    public static IEnumerable<string> Names => s_all.Select(static family => family.Name);

    /// <summary>The family of a name; its commands and the shared ones.</summary>
    public static string[] CommandsOf(string name)
    {
        string[] own = s_all.Single(family => family.Name == name).Commands;
        // Shared ones end values: they come up a third of the time at most.
        int times = (s_shared.Length * 2 / own.Length) + 1;
        return [.. Enumerable.Repeat(own, times).SelectMany(static commands => commands), .. s_shared];
    }
}
