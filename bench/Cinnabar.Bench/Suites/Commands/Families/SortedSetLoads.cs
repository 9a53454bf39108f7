namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Sorted sets: two of a hundred members that share half of them, one of ten thousand, and one of a
/// thousand members with equal scores.</summary>
internal static class SortedSetLoads
{
    private const string Four = "__rand_int__ __key__ __rand_int__ __key__ __rand_int__ __key__ "
        + "__rand_int__ __key__";

    /// <summary>All of them.</summary>
    public static CommandFamily All { get; } = new(
        [
            "EVAL \"for i=1,100 do redis.call('ZADD','a',i,'item:'..i) "
                + "redis.call('ZADD','b',i,'item:'..i+50) end "
                + "for i=1001,2000 do redis.call('ZADD','words',0,'w'..i) end\" 0",
            "ZADD big __rand_int__ __key__",
        ],
        [
            new("zadd", "ZADD big __rand_int__ __key__"),
            new("zincrby", "ZINCRBY big 1 __key__"),
            new("zrem", $"ZADD q {Four}", "4 * ZREM q __key__"),
            new("zscore", "ZSCORE big __key__"),
            new("zmscore", "ZMSCORE big __key__ __key__ __key__ __key__ __key__"),
            new("zrank", "ZRANK big __key__"),
            new("zrevrank", "ZREVRANK big __key__"),
            new("zcard", "ZCARD big"),
            new("zcount", "ZCOUNT big 1000 5000"),
            new("zlexcount", "ZLEXCOUNT words [w1100 [w1900"),
            new("zrange", "ZRANGE big 100 199"),
            new("zrevrange", "ZREVRANGE big 100 199"),
            new("zrangebyscore", "ZRANGEBYSCORE big 1000 9000 LIMIT 0 10"),
            new("zrevrangebyscore", "ZREVRANGEBYSCORE big 9000 1000 LIMIT 0 10"),
            new("zrangebylex", "ZRANGEBYLEX words [w1100 + LIMIT 0 10"),
            new("zrevrangebylex", "ZREVRANGEBYLEX words [w1900 - LIMIT 0 10"),
            new("zrangestore", "ZRANGESTORE t a 0 -1"),
            new("zremrangebyrank", $"ZADD q {Four}", "ZREMRANGEBYRANK q 0 3"),
            new("zremrangebyscore", "ZADD r 1 a 2 b 3 c", "ZREMRANGEBYSCORE r 1 2"),
            new("zremrangebylex", "ZADD l 0 a 0 b 0 c", "ZREMRANGEBYLEX l [a [b"),
            new("zpopmin", $"ZADD q {Four}", "4 * ZPOPMIN q"),
            new("zpopmax", $"ZADD q {Four}", "4 * ZPOPMAX q"),
            new("zmpop", $"ZADD q {Four}", "ZMPOP 1 q MIN COUNT 4"),
            new("bzpopmin", $"ZADD w {Four}", "BZPOPMIN w 0"),
            new("bzpopmax", $"ZADD w {Four}", "BZPOPMAX w 0"),
            new("bzmpop", $"ZADD w {Four}", "BZMPOP 0 1 w MIN"),
            new("zrandmember", "ZRANDMEMBER big"),
            new("zscan", "ZSCAN big 0"),
            new("zinter", "ZINTER 2 a b"),
            new("zintercard", "ZINTERCARD 2 a b"),
            new("zinterstore", "ZINTERSTORE t 2 a b"),
            new("zunion", "ZUNION 2 a b"),
            new("zunionstore", "ZUNIONSTORE t 2 a b"),
            new("zdiff", "ZDIFF 2 a b"),
            new("zdiffstore", "ZDIFFSTORE t 2 a b"),
        ]);
}
