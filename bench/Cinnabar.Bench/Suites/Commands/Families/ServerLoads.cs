namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Scripts, and what administrators ask.</summary>
internal static class ServerLoads
{
    private const string Get = "\"return redis.call('GET',KEYS[1])\"";
    private const string GetSha = "620cd258c2c9c88c9d10db67812ccf663d96bdc6";

    private const string Library = "\"#!lua name=bench\\nredis.register_function{function_name='measured',"
        + "callback=function(keys) return redis.call('GET',keys[1]) end,flags={'no-writes'}}\"";

    /// <summary>Scripts of one call; the suite <c>scripts</c> has longer ones.</summary>
    public static CommandFamily Scripts { get; } = new(
        ["SET __key__ __data__", $"SCRIPT LOAD {Get}", $"FUNCTION LOAD {Library}"],
        [
            new("eval", $"EVAL {Get} 1 __key__"),
            new("eval_ro", $"EVAL_RO {Get} 1 __key__"),
            new("evalsha", $"EVALSHA {GetSha} 1 __key__"),
            new("evalsha_ro", $"EVALSHA_RO {GetSha} 1 __key__"),
            new("fcall", "FCALL measured 1 __key__"),
            new("fcall_ro", "FCALL_RO measured 1 __key__"),
            new("script|exists", $"SCRIPT EXISTS {GetSha}"),
            new("script|load", $"SCRIPT LOAD {Get}"),
            new("script|show", $"SCRIPT SHOW {GetSha}"),
            new("function|list", "FUNCTION LIST"),
            new("function|stats", "FUNCTION STATS"),
            new("function|dump", "FUNCTION DUMP"),
            new("function|load", $"FUNCTION LOAD REPLACE {Library}"),
            new("function|delete", "MULTI", $"FUNCTION LOAD REPLACE {Library}", "FUNCTION DELETE bench",
                "EXEC"),
        ]);

    /// <summary>Questions to a server, and settings that change nothing.</summary>
    public static CommandFamily Administration { get; } = new(
        ["SET __key__ __data__"],
        [
            new("time", "TIME"),
            new("info", "INFO"),
            new("role", "ROLE"),
            new("lastsave", "LASTSAVE"),
            new("lolwut", "LOLWUT VERSION 1"),
            new("config|get", "CONFIG GET maxmemory"),
            new("config|set", "CONFIG SET maxmemory 0"),
            new("config|resetstat", "CONFIG RESETSTAT"),
            new("command", "COMMAND"),
            new("command|count", "COMMAND COUNT"),
            new("command|info", "COMMAND INFO get"),
            new("command|docs", "COMMAND DOCS get"),
            new("command|list", "COMMAND LIST"),
            new("command|getkeys", "COMMAND GETKEYS MSET a b c d"),
            new("command|getkeysandflags", "COMMAND GETKEYSANDFLAGS MSET a b c d"),
            new("memory|usage", "MEMORY USAGE __key__"),
            new("memory|stats", "MEMORY STATS"),
            new("slowlog|get", "SLOWLOG GET"),
            new("slowlog|len", "SLOWLOG LEN"),
            new("slowlog|reset", "SLOWLOG RESET"),
            new("commandlog|get", "COMMANDLOG GET 10 slow"),
            new("commandlog|len", "COMMANDLOG LEN slow"),
            new("commandlog|reset", "COMMANDLOG RESET slow"),
            new("latency|latest", "LATENCY LATEST"),
            new("latency|history", "LATENCY HISTORY command"),
            new("latency|histogram", "LATENCY HISTOGRAM get"),
            new("latency|doctor", "LATENCY DOCTOR"),
            new("latency|reset", "LATENCY RESET"),
            new("module|list", "MODULE LIST"),
            new("acl|whoami", "ACL WHOAMI"),
            new("acl|users", "ACL USERS"),
            new("acl|list", "ACL LIST"),
            new("acl|cat", "ACL CAT"),
            new("acl|getuser", "ACL GETUSER default"),
            new("acl|dryrun", "ACL DRYRUN default GET key"),
            new("acl|genpass", "ACL GENPASS"),
            new("acl|log", "ACL LOG"),
            new("acl|setuser", "ACL SETUSER bench on ~key:* +@read"),
            new("acl|deluser", "ACL SETUSER bench on", "ACL DELUSER bench"),
        ]);

    /// <summary>What empties the server.</summary>
    public static CommandFamily Emptying { get; } = new([],
        [
            new("flushdb", "SET x a", "FLUSHDB"),
            new("flushall", "SET x a", "FLUSHALL"),
            new("function|flush", "FUNCTION FLUSH"),
            new("script|flush", "SCRIPT FLUSH"),
        ]);
}
