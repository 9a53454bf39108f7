using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>Which changes of a watched stream refuse the transaction: its entries do, its groups do
/// not.</summary>
public sealed class WatchOracleTests
{
    private static readonly string[] s_preparation =
    [
        "FLUSHALL", "XADD s 1-0 a 1", "XADD s 2-0 a 2", "XADD s 3-0 a 3", "XADD s 4-0 a 4", "XDEL s 2-0",
        "XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 2 STREAMS s >", "XGROUP CREATECONSUMER s g idle",
    ];

    private static readonly string[] s_changes =
    [
        "XADD s 5-0 a 5", "XADD s NOMKSTREAM MAXLEN 1 5-0 a 5", "XADD s 0-1 a 5", "XDEL s 1-0",
        "XDEL s 9-0", "XTRIM s MAXLEN 1", "XTRIM s MAXLEN 9", "XTRIM s MINID 3", "XSETID s 9-0",
        "XSETID s 9-0 ENTRIESADDED 20 MAXDELETEDID 3-0", "XGROUP CREATE s h 0", "XGROUP CREATE s g 0",
        "XGROUP CREATE s h $ MKSTREAM", "XGROUP CREATE none h $ MKSTREAM", "XGROUP SETID s g 0",
        "XGROUP SETID s g $ ENTRIESREAD 2", "XGROUP DESTROY s g", "XGROUP DESTROY s h",
        "XGROUP CREATECONSUMER s g new", "XGROUP DELCONSUMER s g c", "XGROUP DELCONSUMER s g idle",
        "XACK s g 1-0", "XACK s g 9-0", "XCLAIM s g d 0 1-0", "XCLAIM s g new 0 9-0",
        "XCLAIM s g d 0 4-0 FORCE", "XCLAIM s g d 0 1-0 JUSTID LASTID 4-0", "XAUTOCLAIM s g d 0 0",
        "XAUTOCLAIM s g d 9999999 0", "XREADGROUP GROUP g c STREAMS s >",
        "XREADGROUP GROUP g c NOACK STREAMS s >", "XREADGROUP GROUP g c STREAMS s 0",
        "XREADGROUP GROUP g new STREAMS s 0", "XREAD STREAMS s 0", "XINFO STREAM s", "DEL s",
        "RENAME s none", "EXPIRE s 100", "COPY s none", "SET none 1",
    ];

    [Fact]
    public void ChangesOfStreamsTouchWatchesAsTheOracles()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using RespClient redisOther = oracle.Connect();
        using var server = new OwnServer(loopCount: 2);
        RespClient ours = server.Connect();
        RespClient oursOther = server.Connect();
        foreach (string change in s_changes)
        {
            foreach (string line in s_preparation)
            {
                redis.Call(line.Split(' '));
                ours.Run(line);
            }

            string theirs = $"{redis.Call("WATCH", "s", "none")}";
            redisOther.Call(change.Split(' '));
            theirs += $" {redis.Call("MULTI")} {redis.Call("PING")} {redis.Call("EXEC")}";
            string our = ours.Run("WATCH s none");
            oursOther.Run(change);
            our += $" {ours.Run("MULTI")} {ours.Run("PING")} {ours.Run("EXEC")}";
            Assert.Equal($"{change} => {theirs}", $"{change} => {our}");
        }
    }
}
