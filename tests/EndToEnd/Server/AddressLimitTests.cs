using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>A system that gives no more memory: a limit on the addresses of the process, set while it
/// runs.</summary>
public sealed class AddressLimitTests
{
    private const string Refusal = "-OOM command not allowed: the system gives no more memory.";
    private const long SpareBytes = 400L << 20;
    private const int KeyCountMax = 1_000_000;
    private const int RefusedCount = 20;
    private const int TrialCountMax = 500;

    [Fact]
    public async Task CommandsThatNeedMemoryAreRefusedUntilItIsBack()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is set with prlimit");
        Assert.SkipUnless(ServerProgram.IsNative, "the compiler of the managed form needs memory, too");
        using var server = new OwnServer(2, ("lazyfree-lazy-user-flush", "no"));
        RespClient client = server.Connect();
        string process = FieldOf(client.Run("INFO server"), "process_id");
        long limit = SizeOf(process) + SpareBytes;
        Limit(process, limit);
        foreach (int valueLength in (int[])[20_000, 300_000])
        {
            int storedCount = FillUntilRefused(client, 0, valueLength);
            // What was kept for speed goes back: without more addresses that does not end the shortage.
            Limit(process, SizeOf(process) / 2);
            storedCount += FillUntilRefused(client, KeyCountMax, valueLength);
            Assert.Equal($":{storedCount}", client.Run("DBSIZE"));
            Assert.Equal("+PONG", client.Run("PING"));
            Assert.Equal(Refusal, client.Run("LPUSH list a"));
            foreach (string first in (string[])["", "#!lua\n", "#!lua flags=allow-oom\n"])
            {
                Assert.StartsWith(Refusal, client.Call(
                    "EVAL", first + "return redis.call('RPUSH', KEYS[1], 'a')", "1", "list").ToString(),
                    StringComparison.Ordinal);
            }

            Assert.Equal($":{storedCount}",
                client.Call("EVAL", "return redis.call('DBSIZE')", "0").ToString());
            client.Run("MULTI");
            Assert.Equal(Refusal, client.Run("LPUSH list a"));
            Assert.StartsWith("-EXECABORT", client.Run("EXEC"), StringComparison.Ordinal);
            Assert.Equal(":0", client.Run("EXISTS list"));
            Assert.Contains(new string('v', valueLength), client.Run("GET key:9"), StringComparison.Ordinal);
            Assert.Equal("+PONG", server.Connect().Run("PING"));
            Assert.Equal(":1", client.Run("DEL key:0"));
            Assert.Equal("+OK", client.Run("FLUSHALL"));
            Limit(process, limit);
            string reply = Refusal;
            for (int trial = 0; trial < TrialCountMax && reply == Refusal; trial++)
            {
                await Task.Delay(20, TestContext.Current.CancellationToken);
                reply = client.Run("SET key value");
            }

            Assert.Equal("+OK", reply);
            Assert.Equal("+OK", client.Run("FLUSHALL"));
        }
    }

    /// <returns>How many keys the server took.</returns>
    private static int FillUntilRefused(RespClient client, int start, int valueLength)
    {
        const int batchCount = 50;
        byte[] value = Encoding.ASCII.GetBytes(new string('v', valueLength));
        int storedCount = 0;
        int refusedCount = 0;
        for (int first = start; refusedCount < RefusedCount; first += batchCount)
        {
            RespValue[] replies = client.CallAll(Enumerable.Range(first, batchCount).Select(
                key => (byte[][])["SET"u8.ToArray(), Encoding.ASCII.GetBytes($"key:{key}"), value]));
            foreach (string reply in replies.Select(static reply => reply.ToString()))
            {
                Assert.True(reply is "+OK" or Refusal, reply);
                storedCount += reply == "+OK" ? 1 : 0;
                refusedCount += reply == Refusal ? 1 : 0;
            }
        }

        return storedCount;
    }

    private static void Limit(string process, long bytes)
    {
        using var limiter = Process.Start("prlimit", ["--pid", process, $"--as={bytes}:"]);
        limiter.WaitForExit();
        Assert.Equal(0, limiter.ExitCode);
    }

    private static long SizeOf(string process) =>
        1024 * long.Parse(File.ReadLines($"/proc/{process}/status")
            .First(static line => line.StartsWith("VmSize:", StringComparison.Ordinal))
            .Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);

    private static string FieldOf(string info, string name)
    {
        string start = name + ":";
        string line = info.Split('\n').First(line => line.StartsWith(start, StringComparison.Ordinal));
        return line[start.Length..].Trim();
    }
}
