namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Lists of a hundred elements.</summary>
internal static class ListLoads
{
    private const string Sixteen = "RPUSH q a b c d e f g h i j k l m n o p";

    /// <summary>A list of words and one of numbers.</summary>
    public static CommandFamily All { get; } = new(
        [
            "EVAL \"for i=1,100 do redis.call('RPUSH','list','item:'..i) "
                + "redis.call('RPUSH','numbers',(i*37)%101) end\" 0",
        ],
        [
            new("lpush", "20 * LPUSH l __data__", "LTRIM l 0 99"),
            new("rpush", "20 * RPUSH l __data__", "LTRIM l -100 -1"),
            new("lpushx", "20 * LPUSHX l __data__", "LTRIM l 0 99"),
            new("rpushx", "20 * RPUSHX l __data__", "LTRIM l -100 -1"),
            new("lpop", Sixteen, "16 * LPOP q"),
            new("rpop", Sixteen, "16 * RPOP q"),
            new("llen", "LLEN list"),
            new("lindex", "LINDEX list 50"),
            new("lset", "LSET list 50 item:51"),
            new("lrange", "LRANGE list 0 99"),
            new("lpos", "LPOS list item:50"),
            new("linsert", "LINSERT list BEFORE item:50 x", "LREM list 1 x"),
            new("lrem", "RPUSH rem x", "LREM rem 1 x"),
            new("ltrim", "LTRIM list 0 -1"),
            new("lmove", "LMOVE list list LEFT RIGHT"),
            new("rpoplpush", "RPOPLPUSH list list"),
            new("lmpop", "RPUSH q a b", "LMPOP 1 q LEFT COUNT 2"),
            new("blpop", Sixteen, "16 * BLPOP q 0"),
            new("brpop", Sixteen, "16 * BRPOP q 0"),
            new("blmove", "BLMOVE list list LEFT RIGHT 0"),
            new("brpoplpush", "BRPOPLPUSH list list 0"),
            new("blmpop", "RPUSH q a b", "BLMPOP 0 1 q LEFT COUNT 2"),
            new("sort", "SORT numbers"),
            new("sort_ro", "SORT_RO numbers"),
        ]);
}
