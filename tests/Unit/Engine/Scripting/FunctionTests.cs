using System;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>Functions in the engine: what they keep between their calls, where they run, what is taken
/// back.</summary>
public sealed class FunctionTests
{
    private const string Counter = """
        #!lua name=counter
        local count = 0
        local function add(number) count = count + number return count end
        redis.register_function('add', function(keys, args) return add(tonumber(args[1])) end)
        redis.register_function('count', function() return count end)
        """;

    private const string Cache = """
        #!lua name=cache
        local known = {names = {}}
        redis.register_function('note', function(keys, args)
          redis.call('INCR', keys[1])
          known.names[#known.names + 1] = args[1]
          return #known.names
        end)
        redis.register_function('known', function() return known.names end)
        """;

    /// <summary>A variable that functions share is one, whichever loop calls them, and however often runs are
    /// taken back.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public void VariablesAreShared(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient[] clients = [server.Connect(0), server.Connect(1)];
        Assert.Equal("$counter", clients[0].Call("FUNCTION", "LOAD", Counter).ToString());
        for (int call = 1; call <= 20; call++)
            Assert.Equal($":{call}", clients[call % 2].Run("FCALL add 1 k 1"));
        Assert.Equal(":20", clients[0].Run("FCALL COUNT 0"));
        Assert.Equal("+OK", clients[0].Run("SCRIPT FLUSH"));
        Assert.Equal(":20", clients[0].Run("FCALL count 0"));
        Assert.Equal("$counter", clients[1].Call("FUNCTION", "LOAD", "REPLACE", Counter).ToString());
        Assert.Equal(":0", clients[0].Run("FCALL count 0"));
        Assert.Null(server.Fault);
    }

    /// <summary>A table around functions is one from its first change on; the run that changes it is made
    /// once.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void TablesAreShared(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient[] clients = [server.Connect(0), server.Connect(1)];
        clients[0].Call("FUNCTION", "LOAD", Cache);
        Assert.Equal("*", clients[0].Run("FCALL known 0"));
        Assert.Equal("*", clients[1].Run("FCALL known 0"));
        for (int call = 1; call <= 10; call++)
            Assert.Equal($":{call}", clients[call % 2].Run($"FCALL note 1 k n{call}"));
        string names = string.Join(", ", Enumerable.Range(1, 10).Select(static call => $"$n{call}"));
        Assert.Equal($"*[{names}]", clients[0].Run("FCALL known 0"));
        Assert.Equal($"*[{names}]", clients[1].Run("FCALL known 0"));
        Assert.Equal("$10", clients[0].Run("GET k"));
        Assert.Null(server.Fault);
    }

    /// <summary>A transaction cannot be taken back: its functions change tables where they are.</summary>
    [Fact]
    public void TransactionsShareTables()
    {
        using TestServer server = TestServer.Rerunning(interval: 1, loopCount: 2);
        TestClient client = server.Connect();
        TestClient other = server.Connect(1);
        client.Call("FUNCTION", "LOAD", Cache);
        Assert.Equal("*", other.Run("FCALL known 0"));
        client.Run("MULTI");
        client.Run("FCALL note 1 k a");
        client.Run("FCALL note 1 k b");
        client.Run("FCALL known 0");
        Assert.Equal("*[:1, :2, *[$a, $b]]", client.Run("EXEC"));
        Assert.Equal("*[$a, $b]", other.Run("FCALL known 0"));
        Assert.Equal(":3", other.Run("FCALL note 1 k c"));
        Assert.Equal("*[$a, $b, $c]", client.Run("FCALL known 0"));
        Assert.Null(server.Fault);
    }

    /// <summary>Functions that keep nothing, or only read what is around them, run under the stripes of their
    /// keys, on every loop.</summary>
    [Theory]
    [InlineData("local limit = 5", "return limit + #keys", ":6")]
    [InlineData("local options = {limit = 5, of = {a = 1}}", "return options.limit + options.of.a", ":6")]
    [InlineData("local function five() return 5 end", "local n = five() n = n + 1 return n", ":6")]
    [InlineData("local t = {5}", "local u = {unpack(t)} u[1] = u[1] + 1 return u[1]", ":6")]
    [InlineData("local api = redis", "return api.LOG_WARNING", ":3")]
    [InlineData("local up = ('').upper", "return up('a')", "$A")]
    public void FunctionsWithoutStateRunAnywhere(string around, string body, string reply)
    {
        using TestServer server = TestServer.Rerunning(interval: 0, loopCount: 2);
        server.Connect().Call("FUNCTION", "LOAD", Library(around, body));
        for (int loop = 0; loop < 2; loop++)
            Assert.Equal(reply, server.Connect(loop).Run("FCALL f 1 k"));
        Assert.False(server.Engine.FunctionMachines.Libraries.Current.FindLibrary("lib")!.HasState);
        Assert.False(server.Engine.FunctionMachines.Libraries.Current.FindFunction("f"u8)!.NeedsAllStripes);
    }

    /// <summary>State of every kind is found.</summary>
    [Theory]
    [InlineData("local n = 0", "n = n + 1 return n")]
    [InlineData("local n = 0 local function next() n = n + 1 return n end", "return next()")]
    [InlineData("local n = 0", "local function next() n = n + 1 return n end return next()")]
    [InlineData("local t = {n = 0}", "t.n = t.n + 1 return t.n")]
    [InlineData("local t = {}", "t[#t + 1] = 1 return #t")]
    [InlineData("local t = {}", "table.insert(t, 1) return #t")]
    [InlineData("local t = {n = 0}", "rawset(t, 'n', t.n + 1) return t.n")]
    [InlineData("local t = {{n = 0}}", "local inner = t[1] inner.n = inner.n + 1 return inner.n")]
    [InlineData("local t = {}", "local m = getmetatable(t) if not m then m = {n = 0} setmetatable(t, m) end "
        + "m.n = m.n + 1 return m.n")]
    [InlineData("local n = 0 local o = {inc = function() n = n + 1 return n end}", "return o.inc()")]
    [InlineData("local letters = ('12345'):gmatch('.')", "return tonumber(letters())")]
    public void StateIsOne(string around, string body)
    {
        using TestServer server = TestServer.Rerunning(interval: 0, loopCount: 2);
        TestClient[] clients = [server.Connect(0), server.Connect(1)];
        clients[0].Call("FUNCTION", "LOAD", Library(around, body));
        for (int call = 1; call <= 5; call++)
            Assert.Equal($":{call}", clients[call % 2].Run("FCALL f 0"));
        Assert.True(server.Engine.FunctionMachines.Libraries.Current.FindLibrary("lib")!.HasState);
        Assert.Null(server.Fault);
    }

    /// <summary>A failing run keeps what it has changed, as in Redis.</summary>
    [Fact]
    public void AnErrorKeepsState()
    {
        using TestServer server = TestServer.Rerunning(interval: 1, loopCount: 2);
        TestClient client = server.Connect();
        client.Call("FUNCTION", "LOAD", Library("local t = {n = 0}",
            "t.n = t.n + 1 redis.call('SET', 'k', t.n) error('x' .. t.n)"));
        Assert.StartsWith("-ERR user_function:3: x1 script: f, on", client.Run("FCALL f 0"),
            StringComparison.Ordinal);
        Assert.StartsWith("-ERR user_function:3: x2 script: f, on", client.Run("FCALL f 0"),
            StringComparison.Ordinal);
        Assert.Equal("$2", client.Run("GET k"));
    }

    /// <summary>Undeclared keys make a function run again; only its last run is seen.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void UndeclaredKeysAreWelcome(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient client = server.Connect();
        client.Call("FUNCTION", "LOAD", Library("", """
            local sum = 0
            for i = 1, 20 do sum = sum + redis.call('INCR', 'key' .. i) end
            return sum
            """));
        Assert.Equal(":20", client.Run("FCALL f 1 key1"));
        Assert.Equal(":40", client.Run("FCALL f 1 key1"));
        Assert.Contains("cmdstat_fcall:calls=2,", client.Run("INFO commandstats"), StringComparison.Ordinal);
        Assert.Equal(40, server.Engine.Statistics.ChangeCount - 1);
    }

    /// <summary>A library that is loaded within a transaction is there for the commands behind it.</summary>
    [Fact]
    public void TransactionsLoadLibraries()
    {
        using TestServer server = TestServer.Rerunning(interval: 1, loopCount: 2);
        TestClient client = server.Connect();
        client.Run("MULTI");
        client.Call("FUNCTION", "LOAD", Counter);
        client.Run("FCALL add 0 2");
        client.Run("FUNCTION DELETE counter");
        client.Run("FCALL add 0 2");
        Assert.Equal("*[$counter, :2, +OK, -ERR Function not found]", client.Run("EXEC"));
        Assert.Null(server.Fault);
    }

    /// <summary>Code that runs for too long while it is loaded is ended; nothing is loaded.</summary>
    [Fact]
    public void ALoadEnds()
    {
        using TestServer server = TestServer.Rerunning(interval: 0, loopCount: 2);
        TestClient client = server.Connect();
        Assert.Equal("-ERR Error registering functions: ERR FUNCTION LOAD timeout", client.Call(
            "FUNCTION", "LOAD", "#!lua name=lib\nredis.log(redis.LOG_WARNING, 'once') while true do end")
            .ToString());
        Assert.Single(server.Log.Lines, static line => line.Contains("once", StringComparison.Ordinal));
        Assert.Equal("*", client.Run("FUNCTION LIST"));
    }

    /// <summary>Monitors see a call, and then the commands of its last run.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void MonitorsSeeCalls(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient client = server.Connect();
        client.Call("FUNCTION", "LOAD", Library("", "return redis.call('INCR', args[1])"));
        TestClient monitor = server.Connect(1);
        monitor.Run("MONITOR");
        Assert.Equal(":1", client.Run("FCALL f 0 n"));
        string[] lines = [.. monitor.Take().Select(static reply => reply.ToString())];
        Assert.Equal(2, lines.Length);
        Assert.EndsWith("] \"FCALL\" \"f\" \"0\" \"n\"", lines[0], StringComparison.Ordinal);
        Assert.EndsWith("[0 lua] \"INCR\" \"n\"", lines[1], StringComparison.Ordinal);
    }

    /// <summary>What a library logs is logged when it is loaded, not when a machine takes it over.</summary>
    [Fact]
    public void LibrariesLogOnce()
    {
        using TestServer server = TestServer.Rerunning(interval: 1, loopCount: 2);
        TestClient[] clients = [server.Connect(0), server.Connect(1)];
        clients[0].Call("FUNCTION", "LOAD", Library("redis.log(redis.LOG_WARNING, 'hello')", "return 1"));
        Assert.Equal(":1", clients[0].Run("FCALL f 0"));
        Assert.Equal(":1", clients[1].Run("FCALL f 0"));
        Assert.Single(server.Log.Lines, static line => line.Contains("hello", StringComparison.Ordinal));
    }

    /// <summary>The memory of libraries that are gone is given back.</summary>
    [Fact]
    public void OldLibrariesAreForgotten()
    {
        using TestServer server = TestServer.Rerunning(interval: 0, loopCount: 1);
        TestClient client = server.Connect();
        for (int number = 0; number < 200; number++)
        {
            client.Call("FUNCTION", "LOAD", "REPLACE",
                Library($"local text = ('{number}'):rep(100000) local n = 0", "n = n + 1 return n"));
            Assert.Equal(":1", client.Run("FCALL f 0"));
        }

        Assert.InRange(server.Engine.FunctionMachines.MemoryBytes, 1, 2 << 20);
        Assert.Contains("number_of_functions:1\r\nnumber_of_libraries:1",
            client.Call("INFO", "memory").Text, StringComparison.Ordinal);
        client.Run("FUNCTION FLUSH");
        Assert.Equal(0, server.Engine.FunctionMachines.MemoryBytes);
    }

    private static string Library(string around, string body) =>
        $"#!lua name=lib\n{around}\nredis.register_function('f', function(keys, args) {body} end)";
}
