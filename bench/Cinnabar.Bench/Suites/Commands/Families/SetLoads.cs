namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Sets: two of a hundred words that share half of them, and one of ten thousand.</summary>
internal static class SetLoads
{
    private const string Sixteen = "SADD q __key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__ "
        + "__key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__";

    /// <summary>All of them.</summary>
    public static CommandFamily All { get; } = new(
        [
            "EVAL \"for i=1,100 do redis.call('SADD','a','item:'..i) "
                + "redis.call('SADD','b','item:'..i+50) end\" 0",
            "SADD big __key__", "SADD m __key__",
        ],
        [
            new("sadd", "SADD s __key__", "SREM s __key__"),
            new("srem", Sixteen, "16 * SREM q __key__"),
            new("spop", Sixteen, "16 * SPOP q"),
            new("scard", "SCARD big"),
            new("sismember", "SISMEMBER big __key__"),
            new("smismember", "SMISMEMBER big __key__ __key__ __key__ __key__ __key__"),
            new("smembers", "SMEMBERS a"),
            new("srandmember", "SRANDMEMBER big"),
            new("sscan", "SSCAN big 0"),
            new("smove", "SMOVE m n __key__", "SMOVE n m __key__"),
            new("sinter", "SINTER a b"),
            new("sintercard", "SINTERCARD 2 a b"),
            new("sinterstore", "SINTERSTORE t a b"),
            new("sunion", "SUNION a b"),
            new("sunionstore", "SUNIONSTORE t a b"),
            new("sdiff", "SDIFF a b"),
            new("sdiffstore", "SDIFFSTORE t a b"),
        ]);
}
