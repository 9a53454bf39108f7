namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Strings, as text and as bits.</summary>
internal static class StringLoads
{
    private const string TenKeys =
        "__key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__";

    private const string FivePairs = "__key__ a __key__ b __key__ c __key__ d __key__ e";
    private const string Words = "the quick brown fox jumps over the lazy dog and runs away";
    private const string OtherWords = "a quick dog jumps on the brown fox and the cat runs to it";

    /// <summary>Strings of 16 bytes and counters.</summary>
    public static CommandFamily Strings { get; } = new(
        ["SET __key__ __data__", "SET n:__key__ 10", $"SET words '{Words}'", $"SET others '{OtherWords}'"],
        [
            new("get", "GET __key__"),
            new("set", "SET __key__ __data__"),
            new("mget", $"MGET {TenKeys}"),
            new("mset", $"MSET {FivePairs} {FivePairs}"),
            new("msetnx", "MSETNX x:__key__ a y:__key__ b", "DEL x:__key__ y:__key__"),
            new("msetex", $"MSETEX 5 {FivePairs} EX 1000"),
            new("setnx", "SETNX x:__key__ __data__", "DEL x:__key__"),
            new("setex", "SETEX e:__key__ 1000 __data__"),
            new("psetex", "PSETEX e:__key__ 1000000 __data__"),
            new("getset", "GETSET __key__ __data__"),
            new("getdel", "SET x:__key__ __data__", "GETDEL x:__key__"),
            new("getex", "GETEX e:__key__ EX 1000"),
            new("append", "SET a:__key__ __data__", "APPEND a:__key__ __data__"),
            new("strlen", "STRLEN __key__"),
            new("getrange", "GETRANGE __key__ 2 9"),
            new("substr", "SUBSTR __key__ 2 9"),
            new("setrange", "SETRANGE __key__ 4 abcd"),
            new("incr", "INCR n:__key__"),
            new("incrby", "INCRBY n:__key__ 5"),
            new("decr", "DECR n:__key__"),
            new("decrby", "DECRBY n:__key__ 5"),
            new("incrbyfloat", "INCRBYFLOAT f:__key__ 1.5"),
            new("lcs", "LCS words others"),
            new("digest", "DIGEST __key__"),
            new("delex", "SET x:__key__ a", "DELEX x:__key__ IFEQ a"),
            new("delifeq", "SET x:__key__ a", "DELIFEQ x:__key__ a"),
        ]);

    /// <summary>Bitmaps of some hundred bytes.</summary>
    public static CommandFamily Bitmaps { get; } = new(
        ["SETBIT bits 4095 1", "SETBIT others 4000 1", "SET b:__key__ __data__"],
        [
            new("getbit", "GETBIT b:__key__ 77"),
            new("setbit", "SETBIT b:__key__ 77 1"),
            new("bitcount", "BITCOUNT bits"),
            new("bitpos", "BITPOS bits 1"),
            new("bitop", "BITOP OR target bits others"),
            new("bitfield", "BITFIELD b:__key__ INCRBY u8 #3 1"),
            new("bitfield_ro", "BITFIELD_RO b:__key__ GET u8 #3"),
        ]);
}
