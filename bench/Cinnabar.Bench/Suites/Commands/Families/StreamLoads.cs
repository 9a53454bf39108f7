namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Streams: one of a hundred entries whose group has delivered all of them, and others.</summary>
internal static class StreamLoads
{
    /// <summary>All of them.</summary>
    public static CommandFamily All { get; } = new(
        [
            "EVAL \"for i=1,100 do redis.call('XADD','s',i..'-1','field','value:'..i) end\" 0",
            "XGROUP CREATE s g 0", "XGROUP CREATE s other 0", "XREADGROUP GROUP g c STREAMS s >",
            "XADD one 1-1 field value", "XGROUP CREATE one g 0", "XADD feed * field value",
            "XGROUP CREATE feed g 0",
        ],
        [
            new("xadd", "XADD x MAXLEN ~ 1000 * field __data__"),
            new("xlen", "XLEN s"),
            new("xrange", "XRANGE s - + COUNT 10"),
            new("xrevrange", "XREVRANGE s + - COUNT 10"),
            new("xread", "XREAD COUNT 10 STREAMS s 0"),
            new("xreadgroup", "XADD feed MAXLEN ~ 1000 * field __data__",
                "XREADGROUP GROUP g c COUNT 1 NOACK STREAMS feed >"),
            new("xack", "XGROUP SETID one g 0", "XREADGROUP GROUP g c STREAMS one >", "XACK one g 1-1"),
            new("xackdel", "XGROUP SETID one g 0", "XREADGROUP GROUP g c STREAMS one >",
                "XACKDEL one g IDS 1 9-9"),
            new("xdel", "MULTI", "DEL d", "XADD d 1-1 field value", "XDEL d 1-1", "EXEC"),
            new("xdelex", "MULTI", "DEL d", "XADD d 1-1 field value", "XDELEX d IDS 1 1-1", "EXEC"),
            new("xtrim", "XADD t * field __data__", "XTRIM t MAXLEN 100"),
            new("xsetid", "XSETID s 9999-1"),
            new("xcfgset", "XCFGSET s IDMP-DURATION 100"),
            new("xpending", "XPENDING s g"),
            new("xclaim", "XCLAIM s g c 0 50-1"),
            new("xautoclaim", "XAUTOCLAIM s g c 0 0 COUNT 10"),
            new("xgroup|create", "MULTI", "XGROUP CREATE s new 0", "XGROUP DESTROY s new", "EXEC"),
            new("xgroup|destroy", "XGROUP DESTROY s missing"),
            new("xgroup|setid", "XGROUP SETID s other 0"),
            new("xgroup|createconsumer", "XGROUP CREATECONSUMER s g d", "XGROUP DELCONSUMER s g d"),
            new("xgroup|delconsumer", "XGROUP DELCONSUMER s g missing"),
            new("xinfo|stream", "XINFO STREAM s"),
            new("xinfo|groups", "XINFO GROUPS s"),
            new("xinfo|consumers", "XINFO CONSUMERS s g"),
        ]);
}
