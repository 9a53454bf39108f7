namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Hashes.</summary>
internal static class HashLoads
{
    /// <summary>A hash of a hundred fields, and two of ten thousand.</summary>
    public static CommandFamily All { get; } = new(
        [
            "EVAL \"for i=1,100 do redis.call('HSET','small','field:'..i,'value:'..i) end\" 0",
            "HSET big __key__ __data__", "HSET counts __key__ 10",
        ],
        [
            new("hget", "HGET big __key__"),
            new("hset", "HSET big __key__ __data__"),
            new("hmget", "HMGET big __key__ __key__ __key__ __key__ __key__"),
            new("hmset", "HMSET big __key__ __data__ __key__ __data__"),
            new("hsetnx", "HSETNX x __key__ __data__", "HDEL x __key__"),
            new("hdel", "HSET x __key__ a __key__ b __key__ c __key__ d", "4 * HDEL x __key__"),
            new("hexists", "HEXISTS big __key__"),
            new("hlen", "HLEN big"),
            new("hstrlen", "HSTRLEN big __key__"),
            new("hincrby", "HINCRBY counts __key__ 1"),
            new("hincrbyfloat", "HINCRBYFLOAT counts __key__ 1.5"),
            new("hgetall", "HGETALL small"),
            new("hkeys", "HKEYS small"),
            new("hvals", "HVALS small"),
            new("hrandfield", "HRANDFIELD big"),
            new("hscan", "HSCAN big 0"),
        ]);

    /// <summary>A hash of ten thousand fields, each with a deadline.</summary>
    public static CommandFamily Deadlines { get; } = new(
        ["HSET h __key__ __data__"],
        [
            new("hexpire", "HEXPIRE h 10000 FIELDS 1 __key__"),
            new("hpexpire", "HPEXPIRE h 10000000 FIELDS 1 __key__"),
            new("hexpireat", "HEXPIREAT h 33177117420 FIELDS 1 __key__"),
            new("hpexpireat", "HPEXPIREAT h 33177117420000 FIELDS 1 __key__"),
            new("httl", "HTTL h FIELDS 1 __key__"),
            new("hpttl", "HPTTL h FIELDS 1 __key__"),
            new("hexpiretime", "HEXPIRETIME h FIELDS 1 __key__"),
            new("hpexpiretime", "HPEXPIRETIME h FIELDS 1 __key__"),
            new("hgetex", "HGETEX h EX 10000 FIELDS 1 __key__"),
            new("hsetex", "HSETEX h EX 10000 FIELDS 1 __key__ __data__"),
            new("hpersist", "HPERSIST h FIELDS 1 __key__", "HEXPIRE h 10000 FIELDS 1 __key__"),
            new("hgetdel", "HSET x __key__ a", "HGETDEL x FIELDS 1 __key__"),
        ]);
}
