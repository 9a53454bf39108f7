namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>Keys of any type, and their deadlines.</summary>
internal static class KeyLoads
{
    private const string Payload = @"""\x00\x10xxxxxxxxxxxxxxxx\n\x00E\x0e\xf8L\xe7\x1c\xa1>""";

    /// <summary>Ten thousand strings without a deadline and as many with one.</summary>
    public static CommandFamily All { get; } = new(
        ["SET __key__ __data__", "SET e:__key__ __data__ EX 10000", "SET m:__key__ __data__"],
        [
            new("exists", "EXISTS __key__"),
            new("type", "TYPE __key__"),
            new("touch", "TOUCH __key__"),
            new("del", "SET x:__key__ __data__", "DEL x:__key__"),
            new("unlink", "SET x:__key__ __data__", "UNLINK x:__key__"),
            new("ttl", "TTL e:__key__"),
            new("pttl", "PTTL e:__key__"),
            new("expiretime", "EXPIRETIME e:__key__"),
            new("pexpiretime", "PEXPIRETIME e:__key__"),
            new("expire", "EXPIRE e:__key__ 10000"),
            new("pexpire", "PEXPIRE e:__key__ 10000000"),
            new("expireat", "EXPIREAT e:__key__ 33177117420"),
            new("pexpireat", "PEXPIREAT e:__key__ 33177117420000"),
            new("persist", "EXPIRE e:__key__ 10000", "PERSIST e:__key__"),
            new("object|encoding", "OBJECT ENCODING __key__"),
            new("object|idletime", "OBJECT IDLETIME __key__"),
            new("object|refcount", "OBJECT REFCOUNT __key__"),
            new("copy", "COPY __key__ c:__key__ REPLACE"),
            new("move", "MOVE m:__key__ 1", "SELECT 1", "MOVE m:__key__ 0", "SELECT 0"),
            new("rename", "MULTI", "SET r a", "RENAME r s", "EXEC"),
            new("renamenx", "MULTI", "SET r a", "DEL s", "RENAMENX r s", "EXEC"),
            new("dump", "DUMP __key__"),
            new("restore", $"RESTORE r:__key__ 0 {Payload} REPLACE"),
            new("randomkey", "RANDOMKEY"),
            new("scan", "SCAN 0"),
            new("keys", "KEYS key:00000000000*"),
            new("dbsize", "DBSIZE"),
            new("select", "SELECT 0"),
            new("swapdb", "SWAPDB 2 3"),
            new("wait", "WAIT 0 0"),
            new("waitaof", "WAITAOF 0 0 0"),
        ]);
}
