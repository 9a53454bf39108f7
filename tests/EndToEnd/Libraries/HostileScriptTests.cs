using System;
using System.Globalization;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Scripting;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>Scripts that want too much, against the built server, whose stack and memory are real: each ends,
/// the server answers, and the memory is back.</summary>
public sealed class HostileScriptTests : IDisposable
{
    private const int MachineBytesMax = 1 << 20;
    private const int CachedScriptsMax = 500;
    private const int WarmCount = 2000;
    private const int CountMin = 5000;
    private const int BatchSize = 50;
    private const long GrowthBytesMax = 24 << 20;
    private const int TestPart = 16;

    private readonly ServerRun _server =
        new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2", "--script-memory-limit", "16mb");

    public HostileScriptTests() => _server.WaitUntilReady();

    private static int Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds / TestPart : 0;

    [Fact]
    public void EachEndsWithinItsBounds()
    {
        using var client = new RespClient(_server.Port);
        using var other = new RespClient(_server.Port);
        foreach ((string script, string reply) in HostileScripts.Ending)
        {
            string found = client.Call("EVAL", script, "0").ToString();
            Assert.True(found.StartsWith(reply, StringComparison.Ordinal), $"{script} got {found}");
            Assert.Equal("+PONG", other.Run("PING"));
            long bytes = Number(other, "memory", "used_memory_vm_total");
            Assert.True(bytes < MachineBytesMax, $"{script} has left {bytes} bytes");
        }

        Assert.Equal(":3", client.Call("EVAL", "return #KEYS + #ARGV", "1", "k", "a", "b").ToString());
    }

    [Fact]
    public void EachIsKilled()
    {
        using var client = new RespClient(_server.Port);
        using var other = new RespClient(_server.Port);
        foreach (string script in HostileScripts.Endless)
        {
            client.Send("EVAL", script, "0");
            string killed;
            while ((killed = other.Run("SCRIPT KILL")) != "+OK")
                Assert.Equal("-NOTBUSY No scripts in execution right now.", killed);
            Assert.StartsWith("-ERR Script killed by user with SCRIPT KILL... script: ",
                client.Read().ToString(), StringComparison.Ordinal);
            Assert.Equal("+PONG", client.Run("PING"));
        }

        Assert.True(Number(other, "memory", "used_memory_vm_total") < MachineBytesMax);
    }

    /// <summary>Texts that come once each leave nothing behind. For ten minutes: CINNABAR_TEST_SECONDS=9600.
    /// </summary>
    [Fact]
    public void DistinctScriptsLeaveNothing()
    {
        using var client = new RespClient(_server.Port);
        int count = 0;
        while (count < WarmCount)
            RunBatch(client, ref count);
        long before = Number(client, "memory", "used_memory_rss");
        long endMs = Environment.TickCount64 + (Seconds * 1000L);
        while (count < CountMin || Environment.TickCount64 < endMs)
            RunBatch(client, ref count);
        long after = Number(client, "memory", "used_memory_rss");
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{count} scripts; resident {before} bytes after {WarmCount}, {after} at the end");
        Assert.True(after - before < GrowthBytesMax, $"{count} scripts: from {before} to {after} bytes");
        Assert.Equal(CachedScriptsMax, Number(client, "memory", "number_of_cached_scripts"));
        Assert.Equal(count - CachedScriptsMax, Number(client, "stats", "evicted_scripts"));
    }

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();

    // Each has names, constants and a length of its own.
    private static void RunBatch(RespClient client, ref int count)
    {
        for (int sent = 0; sent < BatchSize; sent++)
        {
            int number = count + sent;
            client.Send("EVAL", $"local name{number} = 'text {number}' local t = {{x{number} = {number}.5}} "
                + $"redis.call('SET', KEYS[1], name{number}) -- {new string('x', number * 37 % 1000)}\n"
                + $"return t.x{number} + {number}", "1", $"k{number % 100}");
        }

        for (int read = 0; read < BatchSize; read++, count++)
            Assert.Equal($":{(2 * count)}", client.Read().ToString());
    }

    private static long Number(RespClient client, string section, string field)
    {
        string info = client.Call("INFO", section).Text;
        int start = info.IndexOf($"\n{field}:", StringComparison.Ordinal) + field.Length + 2;
        return long.Parse(info[start..info.IndexOf('\r', start)], CultureInfo.InvariantCulture);
    }
}
