using System.Collections.Generic;

namespace Cinnabar.Tests.Differential;

/// <summary>Where the specs differ from redis-server 7.0.15 on purpose.</summary>
internal static class SpecDifferences
{
    /// <summary>Fields that differ, with the reason.</summary>
    public static IReadOnlyDictionary<string, string> Fields { get; } = AllFields();

    /// <summary>Commands whose arguments are the same, but named or grouped as since Redis 7.2.</summary>
    private static IReadOnlyList<string> ArgumentsOfSevenTwo =>
    [
        "bitcount", "bitfield", "bitfield_ro", "bitpos", "client|reply", "client|unblock",
        "cluster|addslotsrange", "cluster|delslotsrange", "cluster|meet", "cluster|reset",
        "cluster|setslot", "command|getkeys", "command|getkeysandflags", "config|get", "config|set",
        "flushall", "flushdb", "function|flush", "geoadd", "geohash", "geopos", "georadius_ro",
        "georadiusbymember_ro", "hello", "hmset", "hset", "lcs", "migrate", "module|loadex", "mset", "msetnx",
        "pfmerge", "psubscribe", "script|flush", "sort", "sort_ro", "xclaim", "xgroup|create",
        "xgroup|createconsumer", "xgroup|delconsumer", "xgroup|destroy", "xgroup|setid", "xinfo|consumers",
        "xinfo|stream", "xsetid", "zadd", "zrange", "zrangebylex", "zrangebyscore", "zrangestore",
        "zrevrangebylex", "zrevrangebyscore",
    ];

    private static Dictionary<string, string> OtherFields => new()
    {
        ["bgsave arguments"] = "Valkey 8.1: CANCEL",
        ["bitop arguments"] = "Redis 8.2: DIFF, DIFF1, ANDOR, ONE; the operations are listed",
        ["blmove flags"] = "Redis 7.2: scripts may call it, and it does not block there",
        ["blpop flags"] = "Redis 7.2: scripts may call it, and it does not block there",
        ["brpop flags"] = "Redis 7.2: scripts may call it, and it does not block there",
        ["brpoplpush flags"] = "Redis 7.2: scripts may call it, and it does not block there",
        ["bzpopmax flags"] = "Redis 7.2: scripts may call it, and it does not block there",
        ["bzpopmin flags"] = "Redis 7.2: scripts may call it, and it does not block there",
        ["client|setname tips"] = "Redis 8.0: every node is told",
        ["cluster|shards flags"] = "Redis 8.0: also while data are loaded",
        ["cluster|slots flags"] = "Redis 8.0: also while data are loaded",
        ["command|getkeys arity"] = "Redis 8.0: a command without arguments is asked of, too",
        ["command|getkeysandflags arity"] = "Redis 8.0: a command without arguments is asked of, too",
        ["config|resetstat tips"] = "Redis 8.0: every node is told",
        ["config|rewrite tips"] = "Redis 8.0: every node is told",
        ["latency|reset tips"] = "Redis 8.0: the nodes' counts are added up",
        ["msetnx tips"] = "Redis 8.0: it is not split among shards",
        ["sinterstore key-specs"] = "Redis 8.0: the old value of the destination is not read",
        ["client|pause since"] = "Redis 7.2: the version of the release, not of a preview",
        ["client|kill arguments"] = "Redis 7.4: MAXAGE; Valkey 8 and 9: more filters",
        ["client|list arguments"] = "Valkey 8.1 and 9: filters",
        ["hscan arguments"] = "Redis 7.4: NOVALUES",
        ["georadius arguments"] = "Redis 7.2: STORE or STOREDIST, not both",
        ["georadiusbymember arguments"] = "Redis 7.2: STORE or STOREDIST, not both",
        ["geosearch arguments"] = "Valkey 9: BYPOLYGON",
        ["geosearchstore arguments"] = "Valkey 9: BYPOLYGON",
        ["psetex doc-flags"] = "deprecated by the documentation",
        ["setex doc-flags"] = "deprecated by the documentation",
        ["setnx doc-flags"] = "deprecated by the documentation",
        ["quit doc-flags"] = "Redis 7.2: deprecated",
        ["randomkey tips"] = "Redis 7.2: proxies pick from the shards' replies",
        ["scan tips"] = "Redis 7.2: proxies join the shards' cursors",
        ["set arguments"] = "Redis 8.4: IFEQ, IFNE, IFDEQ, IFDNE",
        ["shutdown arguments"] = "Valkey 9: SAFE",
        ["xadd arguments"] = "Redis 8.2: KEEPREF, DELREF, ACKED; Redis 8.6: IDMP, IDMPAUTO",
        ["xreadgroup arguments"] = "Redis 8.4: CLAIM",
        ["xtrim arguments"] = "Redis 8.2: KEEPREF, DELREF, ACKED",
        ["zrank arguments"] = "Redis 7.2: WITHSCORE",
        ["zrank arity"] = "Redis 7.2: WITHSCORE",
        ["zrevrank arguments"] = "Redis 7.2: WITHSCORE",
        ["zrevrank arity"] = "Redis 7.2: WITHSCORE",
        ["zscan arguments"] = "Valkey 8: NOSCORES",
        ["wait categories"] = "Redis 7.2: it blocks",
        ["wait flags"] = "Redis 7.2: scripts may call it, and it does not block there",
    };

    private static Dictionary<string, string> AllFields()
    {
        Dictionary<string, string> fields = OtherFields;
        foreach (string name in ArgumentsOfSevenTwo)
            fields.Add(name + " arguments", "Redis 7.2: other names of arguments");
        return fields;
    }

    /// <summary>Commands that are newer than the oracle.</summary>
    public static IReadOnlyList<string> Newer =>
    [
        "client|capa", "client|import-source", "client|no-touch", "client|setinfo",
        "cluster|cancelslotmigrations", "cluster|getslotmigrations", "cluster|migrateslots",
        "cluster|migration", "cluster|myshardid",
        "cluster|slot-stats", "clusterscan", "commandlog", "commandlog|get", "commandlog|help",
        "commandlog|len", "commandlog|reset", "delex", "delifeq", "digest", "hexpire", "hexpireat",
        "hexpiretime", "hgetdel", "hgetex", "hpersist", "hpexpire", "hpexpireat", "hpexpiretime", "hpttl",
        "hsetex", "httl", "msetex", "script|show", "waitaof", "xackdel", "xcfgset", "xdelex",
    ];

    /// <summary>Subcommands that are not built.</summary>
    public static IReadOnlyList<string> SubcommandsNotYet => [];
}
