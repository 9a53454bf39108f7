using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>Valkey's <c>import-mode</c>: expired keys stay, and only the importing tool sees them.</summary>
public sealed class ImportModeTests
{
    [Fact]
    public void OnlyAnImportSourceSeesWhatIsPastItsDeadline()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient tool = server.Connect(1);
        TestClient other = server.Connect(0);
        Assert.Equal("-ERR Server is not in import mode", tool.Run("CLIENT IMPORT-SOURCE ON"));
        Assert.Equal("+OK", tool.Run("CLIENT IMPORT-SOURCE OFF"));
        Assert.Equal("+OK", tool.Run("CONFIG SET import-mode yes"));
        Assert.Equal("+OK", tool.Run("CLIENT IMPORT-SOURCE ON"));
        Assert.Contains(" flags=I ", tool.Run("CLIENT INFO"));
        tool.Run("SET k 1 PX 10");
        tool.Run("HSET h f v g w");
        tool.Run("HPEXPIRE h 10 FIELDS 1 f");
        clock.Advance(1_000_000);
        server.Run();

        Assert.Equal("_", other.Run("GET k"));
        Assert.Equal(":-2", other.Run("TTL k"));
        Assert.Equal("_", other.Run("HGET h f"));
        Assert.Equal(":1", other.Run("HLEN h"));
        Assert.Equal(":2", other.Run("DBSIZE"));
        Assert.Equal("$1", tool.Run("GET k"));
        Assert.Equal(":0", tool.Run("PTTL k"));
        Assert.Equal(":2", tool.Run("INCR k"));
        Assert.Equal("$v", tool.Run("HGET h f"));
        Assert.Equal(":2", tool.Run("HLEN h"));
        Assert.Equal("*[$k]", tool.Run("KEYS k*"));
        Assert.Equal("*", other.Run("KEYS k*"));
        Assert.Equal("+OK +QUEUED *[$2]", $"{tool.Run("MULTI")} {tool.Run("GET k")} {tool.Run("EXEC")}");

        Assert.Equal("+RESET", tool.Run("RESET"));
        Assert.Equal("_", tool.Run("GET k"));
        Assert.Equal("+OK", tool.Run("CONFIG SET import-mode no"));
        clock.Advance(1_000_000);
        server.Run();
        Assert.Equal(":1", other.Run("DBSIZE"));
        Assert.Equal(":1", other.Run("HLEN h"));
    }

    [Fact]
    public void DeadlinesInThePastAreKept()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient client = server.Connect();
        client.Run("CONFIG SET import-mode yes");
        client.Run("MSET a 1 b 2 c 3");
        Assert.Equal(":1", client.Run("EXPIRE a -1"));
        Assert.Equal(":1", client.Run("EXPIREAT b -10000"));
        Assert.Equal("$3", client.Run("GETEX c PXAT 1"));
        Assert.Equal("+OK", client.Run("SET d 4 EXAT 1"));
        Assert.Equal(":1", client.Run("HSETEX h EXAT 1 FIELDS 1 f v"));
        Assert.Equal(":5", client.Run("DBSIZE"));
        Assert.Equal("+OK", client.Run("CONFIG SET import-mode no"));
        clock.Advance(1_000_000);
        server.Run();
        Assert.Equal(":0", client.Run("DBSIZE"));
    }

    /// <summary>What does not fit is refused, whoever writes: an evicted key would be missing in the
    /// copy.</summary>
    [Theory]
    [InlineData("allkeys-lru")]
    [InlineData("noeviction")]
    public void NothingIsEvicted(string policy)
    {
        using var server = new TestServer(configuration: ("maxmemory-policy", policy));
        TestClient tool = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("+OK", tool.Run("SET a 1"));
        Assert.Equal("+OK", tool.Run("CONFIG SET import-mode yes"));
        Assert.Equal("+OK", tool.Run("CLIENT IMPORT-SOURCE ON"));
        Assert.Equal("+OK", tool.Run("CONFIG SET maxmemory 1"));
        const string refusal = "-OOM command not allowed when used memory > 'maxmemory'.";
        foreach (TestClient client in (TestClient[])[tool, other])
        {
            Assert.Equal(refusal, client.Run("SET b 1"));
            Assert.Contains("-OOM", client.Run("EVAL return{redis.pcall('SET','b','1')} 1 b"));
            Assert.Equal(":1", client.Run("DBSIZE"));
        }

        Assert.Equal("+OK", tool.Run("CONFIG SET import-mode no"));
        Assert.Equal(refusal, other.Run("SET b 1"));
        Assert.Equal(policy == "noeviction" ? ":1" : ":0", other.Run("DBSIZE"));
    }

    [Fact]
    public void DeadlinesInThePastCountAsExpired()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("MSET a 1 b 2");
        client.Run("EXPIRE a -1");
        client.Run("GETEX b PXAT 1");
        Assert.Contains("expired_keys:2\r\n", client.Run("INFO stats"));
    }
}
