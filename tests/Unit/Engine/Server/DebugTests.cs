using System;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>DEBUG, where it is allowed.</summary>
public sealed class DebugTests
{
    [Fact]
    public void ItIsOffUnlessADirectiveAllowsIt()
    {
        using var server = new ObservedServer();
        Assert.StartsWith("-ERR DEBUG command not allowed.", server.Call("DEBUG", "OBJECT", "a"));
    }

    [Fact]
    public void KeysAreMadeAndShown()
    {
        using var server = new ObservedServer(("enable-debug-command", "local"));
        Assert.Equal("+OK", server.Call("DEBUG", "POPULATE", "3"));
        Assert.Equal("+OK", server.Call("DEBUG", "POPULATE", "5000", "p", "20"));
        Assert.Equal(":5003", server.Call("DBSIZE"));
        Assert.Equal("$value:2", server.Call("GET", "key:2"));
        Assert.Equal("$value:4999" + new string('\0', 10), server.Call("GET", "p:4999"));
        Assert.Contains("refcount:1 encoding:embstr serializedlength:8 lru:",
            server.Call("DEBUG", "OBJECT", "key:2"));
        Assert.Contains(" number of elements: 5003\n", server.Call("DEBUG", "HTSTATS", "0"));
        Assert.Equal("-ERR no such key", server.Call("DEBUG", "OBJECT", "none"));
        Assert.Equal("-ERR Out of range database", server.Call("DEBUG", "HTSTATS", "99"));
    }

    /// <summary>Scripts of tests may call what scripts may not, but nothing that would make a script of
    /// theirs a transaction, a subscriber, or two scripts.</summary>
    [Fact]
    public void ScriptsMayCallWhatIsDenied()
    {
        const string Denied = "-ERR This Redis command is not allowed from script script: ";
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        Assert.StartsWith(Denied, Run("'CONFIG', 'GET', 'maxmemory-samples'"), StringComparison.Ordinal);
        Assert.Equal("+OK", server.Call("DEBUG", "SET-DISABLE-DENY-SCRIPTS", "1"));
        Assert.Equal("*[$maxmemory-samples, $5]", Run("'CONFIG', 'GET', 'maxmemory-samples'"));
        Assert.Equal("+OK", Run("'DEBUG', 'SLEEP', '0'"));
        Assert.Equal(":2", server.Call("EVAL",
            "redis.call('INCR', 'k') redis.call('DEBUG', 'SLEEP', '0') return redis.call('INCR', 'k')", "0"));
        foreach (string command in (string[])[
            "'EVAL', 'return 1', '0'", "'FCALL', 'f', '0'", "'MULTI'", "'EXEC'", "'DISCARD'", "'WATCH', 'k'",
            "'SUBSCRIBE', 'c'", "'PUNSUBSCRIBE'", "'QUIT'", "'RESET'", "'SHUTDOWN', 'NOSAVE'", "'SAVE'"])
            Assert.StartsWith(Denied, Run(command), StringComparison.Ordinal);
        Assert.Equal("+OK", server.Call("DEBUG", "SET-DISABLE-DENY-SCRIPTS", "0"));
        Assert.StartsWith(Denied, Run("'DEBUG', 'SLEEP', '0'"), StringComparison.Ordinal);

        string Run(string command) => server.Call("EVAL", $"return redis.call({command})", "0");
    }

    // Thresholds of 0: even the smallest collections are trees.
    [Theory]
    [InlineData("SADD", "set-max-listpack-entries")]
    [InlineData("HSET", "hash-max-listpack-entries")]
    [InlineData("ZADD", "zset-max-listpack-entries")]
    public void TheTableOfAKeyIsShown(string command, string threshold)
    {
        const string NoTable =
            "-ERR The value stored at the specified key is not represented using an hash table";
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        server.Call("SET", "string", "value");
        Assert.Equal("-ERR no such key", server.Call("DEBUG", "HTSTATS-KEY", "key"));
        Assert.Equal(NoTable, server.Call("DEBUG", "HTSTATS-KEY", "string"));
        Add("small", 1);
        Assert.Equal(NoTable, server.Call("DEBUG", "HTSTATS-KEY", "small"));
        Assert.Equal("+OK", server.Call("CONFIG", "SET", threshold, "0"));
        Add("key", 1);
        Assert.Matches(@"\$Hash table 0 stats \(main hash table\):\n number of elements: 1\n height: 1\n"
            + @" nodes: 1\n pages: 1\n elements a page: 1\.00 \(1 to 1\)\n bytes: \d+\n", server.Call("DEBUG",
            "HTSTATS-KEY", "key"));
        Add("key", 30_000);
        string shape = server.Call("DEBUG", "HTSTATS-KEY", "key", "full");
        Match match = Regex.Match(shape,
            @" elements: 30000\n height: (\d+)\n nodes: (\d+)\n pages: (\d+)\n"
                + @" elements a page: ([\d.]+) \((\d+) to (\d+)\)");
        Assert.True(match.Success, shape);
        double[] numbers = [.. match.Groups.Values.Skip(1)
            .Select(static one => double.Parse(one.Value, CultureInfo.InvariantCulture))];
        Assert.True(numbers[0] >= 2 && numbers[1] > 1 && numbers[2] > numbers[1], shape);
        Assert.Equal(30_000 / numbers[2], numbers[3], 0.01);
        Assert.True(numbers[4] <= numbers[3] && numbers[5] >= numbers[3], shape);

        void Add(string key, int count)
        {
            for (int number = 0; number < count; number++)
            {
                if (command == "SADD")
                    server.Call(command, key, $"m{number}");
                else if (command == "ZADD")
                    server.Call(command, key, $"{number}", $"m{number}");
                else
                    server.Call(command, key, $"m{number}", "value");
            }
        }
    }

    [Fact]
    public void ClientsAreCountedByTheirMemory()
    {
        using var server = new TestServer(1, null, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        Assert.Equal("-ERR maxmemory-clients is disabled.", client.Run("DEBUG CLIENT-EVICTION"));
        client.Run("CONFIG SET maxmemory-clients 100mb");
        string[] lines = client.Call("DEBUG", "CLIENT-EVICTION").Text.Split('\n');
        Assert.Equal(20, lines.Length);
        Assert.Equal("bucket          0 -      32767: tot-mem:        400, clients: 1", lines[0]);
        Assert.Equal("bucket      32768 -      65535: tot-mem:          0, clients: 0", lines[1]);
        Assert.Equal("bucket 4294967296+            : tot-mem:          0, clients: 0", lines[18]);
        TestClient other = server.Connect();
        other.Run("MULTI");
        Assert.Equal("+QUEUED", other.Call("SET", "key", new string('x', 100_000)).ToString());
        lines = client.Call("DEBUG", "CLIENT-EVICTION").Text.Split('\n');
        Assert.Equal("bucket          0 -      32767: tot-mem:        400, clients: 1", lines[0]);
        Assert.Matches(@"bucket      65536 -     131071: tot-mem:     10\d{4}, clients: 1", lines[2]);
        client.Run("CLIENT NO-EVICT ON");
        lines = client.Call("DEBUG", "CLIENT-EVICTION").Text.Split('\n');
        Assert.EndsWith("clients: 0", lines[0], StringComparison.Ordinal);
        Assert.EndsWith("clients: 1", lines[2], StringComparison.Ordinal);
    }

    [Fact]
    public void SleepAndOtherToolsAnswer()
    {
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        Assert.Equal("+OK", server.Call("DEBUG", "SLEEP", "0"));
        Assert.Equal("-boo", server.Call("DEBUG", "ERROR", "boo"));
        Assert.Equal("+OK", server.Call("DEBUG", "LOG", "hear hear"));
        Assert.Contains("DEBUG LOG: hear hear", server.LogLines);
        Assert.Equal("+OK", server.Call("DEBUG", "DICT-RESIZING", "0"));
        Assert.Equal("+OK", server.Call("DEBUG", "CLIENT-ENFORCE-REPLY-LIST", "1"));
        Assert.Equal(":1", server.Call("DEBUG", "STRINGMATCH-LEN", "a*c", "abc"));
        Assert.Equal("-ERR RESP2 is not supported by this command", server.Call("DEBUG", "PROTOCOL", "push"));
        Assert.Equal("*[:0, :0, :1, :1, :2, :0]", server.Call("DEBUG", "PROTOCOL", "map"));
        Assert.Equal("-ERR unknown subcommand or wrong number of arguments for 'JMAP'. Try DEBUG HELP.",
            server.Call("DEBUG", "JMAP"));
    }

    [Theory]
    [InlineData("100b", "+OK")]
    [InlineData("0", "+OK")]
    [InlineData("x", "-ERR argument must be a memory value bigger than 1 and smaller than 4gb")]
    [InlineData("5gb", "-ERR argument must be a memory value bigger than 1 and smaller than 4gb")]
    public void ThePackedThresholdIsAccepted(string size, string reply)
    {
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        Assert.Equal(reply, $"{server.Call("DEBUG", "QUICKLIST-PACKED-THRESHOLD", size)}");
    }

    [Fact]
    public void TheMiddleOfAListIsCompressedWhereThatIsAskedFor()
    {
        using var server = new ObservedServer(
            ("enable-debug-command", "yes"), ("list-max-listpack-size", "10"), ("list-compress-depth", "1"));
        for (int number = 0; number < 100; number++)
            server.Call("RPUSH", "l", $"the element {number % 10} of a list that is long enough");

        string squeezed = server.Call("DEBUG", "OBJECT", "l");
        Assert.Contains(" ql_nodes:10 ql_avg_node:10.00 ql_listpack_max:10 ql_compressed:1 "
            + "ql_uncompressed_size:", squeezed);
        Assert.Equal("$the element 4 of a list that is long enough", server.Call("LINDEX", "l", "54"));
        long squeezedBytes = Bytes(server.Call("MEMORY", "USAGE", "l"));
        // Later changes are not compressed.
        server.Call("CONFIG", "SET", "list-compress-depth", "0");
        for (int number = 0; number < 100; number++)
            server.Call("LMOVE", "l", "l", "LEFT", "RIGHT");
        Assert.InRange(squeezedBytes, 1, Bytes(server.Call("MEMORY", "USAGE", "l")) * 2 / 3);
        Assert.Contains(" ql_compressed:0 ", server.Call("DEBUG", "OBJECT", "l"));

        static long Bytes(string reply) => long.Parse(reply[1..], CultureInfo.InvariantCulture);
    }

    [Fact]
    public void StructuresAreLogged()
    {
        using var server = new ObservedServer(
            ("enable-debug-command", "yes"), ("list-max-listpack-size", "2"));
        server.Call("HSET", "h", "field", "value");
        server.Call("RPUSH", "l", "a", "bb", "ccc");
        server.Call("SET", "s", "v");
        Assert.Equal("+Listpack structure printed on stdout", server.Call("DEBUG", "LISTPACK", "h"));
        Assert.Contains(server.LogLines, line => line.StartsWith("DEBUG: listpack of 1 items in ",
            StringComparison.Ordinal) && line.EndsWith("of the parts: 5 5", StringComparison.Ordinal));
        Assert.Equal("+Quicklist structure printed on stdout", server.Call("DEBUG", "QUICKLIST", "l", "1"));
        Assert.Contains(server.LogLines, line => line.StartsWith("DEBUG: quicklist of 3 items in ",
            StringComparison.Ordinal) && line.EndsWith("of the parts: 1 2 3", StringComparison.Ordinal));
        Assert.Equal("-ERR Not a listpack encoded object.", server.Call("DEBUG", "LISTPACK", "l"));
        Assert.Equal("-ERR Not a quicklist encoded object.", server.Call("DEBUG", "QUICKLIST", "s"));
        Assert.Equal("-ERR no such key", server.Call("DEBUG", "LISTPACK", "none"));
    }

    [Fact]
    public void KeysGoAtTheirDeadlineWithoutBeingTouched()
    {
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        server.Call("SET", "a", "b", "PX", "7");
        Assert.Equal(7, server.Loop.BeginWait());
        server.Loop.EndWait();
        server.Clock.Advance(7_000);
        server.Loop.Turn();
        Assert.Equal(0, server.Engine.Keyspace.Count(0));

        server.Call("DEBUG", "SET-ACTIVE-EXPIRE", "0");
        server.Call("SET", "a", "b", "PX", "7");
        server.Clock.Advance(7_000);
        server.Loop.Turn();
        Assert.Equal(1, server.Engine.Keyspace.Count(0));
        server.Call("DEBUG", "SET-ACTIVE-EXPIRE", "1");
        server.Loop.Turn();
        Assert.Equal(0, server.Engine.Keyspace.Count(0));
    }

    [Fact]
    public void WithoutActiveExpiryCommandsRemoveExpiredKeys()
    {
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        server.Call("DEBUG", "SET-ACTIVE-EXPIRE", "0");
        foreach (string key in (string[])["a", "b", "c", "d", "e"])
            server.Call("SET", key, "v", "PX", "7");
        server.Call("SET", "stays", "v");
        server.Clock.Advance(7_000);
        Assert.Equal("*[_, _]", server.Call("MGET", "a", "b"));
        Assert.Equal(":4", server.Call("DBSIZE"));
        Assert.Equal(":0", server.Call("LPUSHX", "c", "x"));
        Assert.Equal(":3", server.Call("DBSIZE"));
        server.Call("CLIENT", "PAUSE", "1000", "WRITE");
        Assert.Equal("_", server.Call("GET", "d"));
        Assert.Equal(":3", server.Call("DBSIZE"));
        server.Call("CLIENT", "UNPAUSE");
        Assert.Equal("*[$0, *[$stays]]", server.Call("SCAN", "0", "COUNT", "1000"));
        Assert.Equal(":1", server.Call("DBSIZE"));
        Assert.Contains("expired_keys:5\r\n", server.Call("INFO", "stats"));
    }

    [Fact]
    public void AWatchOnAnExpiredKeySeesNoChangeWhenTheKeyIsRemoved()
    {
        using var server = new ObservedServer(("enable-debug-command", "yes"));
        server.Call("DEBUG", "SET-ACTIVE-EXPIRE", "0");
        server.Call("SET", "a", "v", "PX", "7");
        server.Call("SET", "b", "v", "PX", "20");
        server.Clock.Advance(7_000);
        server.Call("WATCH", "a");
        Assert.Equal(":0", server.Call("EXISTS", "a"));
        Assert.Equal(":1", server.Call("DBSIZE"));
        server.Call("MULTI");
        Assert.Equal("*", server.Call("EXEC"));
        server.Call("WATCH", "b");
        server.Clock.Advance(20_000);
        Assert.Equal(":0", server.Call("EXISTS", "b"));
        server.Call("MULTI");
        Assert.Equal("_", server.Call("EXEC"));
    }

    [Fact]
    public void AStripeThatIsHeldIsTriedAgainWithoutHaste()
    {
        using var server = new ObservedServer();
        server.Call("SET", "a", "b", "PX", "7");
        server.Clock.Advance(7_000);
        foreach (var stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        server.Loop.Turn();
        Assert.Equal(1, server.Loop.BeginWait());
        server.Loop.EndWait();
        foreach (var stripe in server.Engine.Keyspace.Stripes)
            stripe.Lock.Exit();
        server.Loop.Turn();
        Assert.Equal(0, server.Engine.Keyspace.Count(0));
    }

    [Theory]
    [InlineData("ASSERT")]
    [InlineData("PANIC")]
    [InlineData("SEGFAULT")]
    public void AFaultOnPurposeIsAFault(string name)
    {
        var server = new TestServer(1, null, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        client.Send("DEBUG", name);
        Exception? fault = null;
        try
        {
            server.Run();
        }
        catch (InvalidOperationException thrown)
        {
            fault = thrown;
        }

        Assert.Contains($"a fault on purpose: DEBUG {name}", (fault ?? server.Fault)?.Message,
            StringComparison.Ordinal);
    }
}
