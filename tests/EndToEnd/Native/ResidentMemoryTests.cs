using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>What a native server keeps in memory when it holds no key.</summary>
public sealed class ResidentMemoryTests
{
    private const long EmptyKilobytesMax = 16 << 10;
    private const long AfterInfoKilobytesMax = 18 << 10;
    private const int InfoCount = 100_000;
    private const int BatchSize = 100;
    private const long AfterScriptsKilobytesMax = 64 << 10;
    private const int PatienceMs = 300_000;
    private const int DistinctCount = 32_000;
    private const int KeyCount = 300_000;
    private const long ExplainedKilobytes = 20 << 10;
    private const int ExplainedShare = 33; // 3 %

    private static int Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds : 0;

    [Fact]
    public void GarbageOfInfoDoesNotGrowTheProcess()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && ServerProgram.IsNative, "not native, or not Linux");
        Assert.SkipWhen(Environment.GetEnvironmentVariable("CINNABAR_CHECKED_MEMORY") == "1",
            "checked memory keeps more");
        using ServerRun run = new(null, "--io-threads", "2");
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        Assert.InRange(ResidentKilobytes(run.ProcessId), 1, EmptyKilobytesMax);
        byte[][][] batch = [.. Enumerable.Repeat<byte[][]>(["INFO"u8.ToArray()], BatchSize)];
        for (int count = 0; count < InfoCount; count += BatchSize)
            client.CallAll(batch);
        Assert.InRange(ResidentKilobytes(run.ProcessId), 1, AfterInfoKilobytesMax);
    }

    /// <summary>Each ends at its limit of 256 MB; what they leave is collected soon after.</summary>
    [Fact]
    public void MemoryIsBackAfterScriptsThatTakeTooMuch()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && ServerProgram.IsNative, "not native, or not Linux");
        using ServerRun run = new(null, "--io-threads", "2");
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        foreach (string script in (string[])["local t = {} for i = 1, 1e9 do t[i] = tostring(i) end",
            "local s = 'x' while true do s = s .. s end"])
            Assert.Contains("not enough memory", client.Call("EVAL", script, "0").ToString(),
                StringComparison.Ordinal);
        Assert.True(SpinWait.SpinUntil(() =>
        {
            Thread.Sleep(BatchSize);
            return ResidentKilobytes(run.ProcessId) < AfterScriptsKilobytesMax;
        }, PatienceMs), $"{ResidentKilobytes(run.ProcessId)} kB are resident");
    }

    /// <summary>The cache of scripts has room for 500; open-ended with CINNABAR_TEST_SECONDS.</summary>
    [Fact]
    public void DistinctScriptsDoNotGrowTheProcess()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && ServerProgram.IsNative, "not native, or not Linux");
        Assert.SkipWhen(Environment.GetEnvironmentVariable("CINNABAR_CHECKED_MEMORY") == "1",
            "checked memory keeps more");
        using ServerRun run = new(null, "--io-threads", "2");
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        int number = 0;
        Evaluate(client, ref number, DistinctCount / 8);
        long before = ResidentKilobytes(run.ProcessId);
        var time = Stopwatch.StartNew();
        do
            Evaluate(client, ref number, DistinctCount);
        while (time.Elapsed.TotalSeconds < Seconds);
        // Half a kilobyte of each would be more.
        Assert.InRange(ResidentKilobytes(run.ProcessId), 1, before + (DistinctCount / 2));
    }

    /// <summary>Of many small keys, values of mixed sizes, small hashes, collections of each type, a long one
    /// of each and big values; removed by FLUSHALL, one by one, or by their deadlines. With many stripes:
    /// each keeps some memory for speed while it needs it.</summary>
    [Theory]
    [InlineData("FLUSHALL")]
    [InlineData("DEL")]
    [InlineData("PEXPIRE")]
    public void MemoryIsBackAfterKeysAreGone(string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && ServerProgram.IsNative, "not native, or not Linux");
        Assert.SkipWhen(Environment.GetEnvironmentVariable("CINNABAR_CHECKED_MEMORY") == "1",
            "checked memory keeps more");
        using ServerRun run = new(null, "--io-threads", "8", "--enable-debug-command", "local");
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        long empty = ResidentKilobytes(run.ProcessId);
        FillWithAll(client);
        AssertExplained(client);
        RemovePart(client);
        AssertExplained(client);
        Remove(client, command);
        Assert.True(SpinWait.SpinUntil(() =>
        {
            Thread.Sleep(BatchSize);
            return client.Run("DBSIZE") == ":0"
                && ResidentKilobytes(run.ProcessId) < empty + ExplainedKilobytes;
        }, PatienceMs), $"{ResidentKilobytes(run.ProcessId)} kB are resident, {empty} were");
        AssertExplained(client);
    }

    /// <summary>Of keys and fields, three of four are deleted, evenly; then all.</summary>
    [Fact]
    public void DefragmentedMemoryIsBack()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && ServerProgram.IsNative, "not native, or not Linux");
        Assert.SkipWhen(Environment.GetEnvironmentVariable("CINNABAR_CHECKED_MEMORY") == "1",
            "checked memory keeps more");
        using ServerRun run = new(null, "--io-threads", "2", "--enable-debug-command", "local",
            "--active-defrag-ignore-bytes", "1mb", "--active-defrag-cycle-min", "50",
            "--active-defrag-cycle-max", "75");
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        long empty = ResidentKilobytes(run.ProcessId);
        Assert.Equal("+OK", client.Run($"DEBUG POPULATE {KeyCount} key 150"));
        for (int first = 0; first < KeyCount; first += BatchSize * 10)
        {
            client.Call(["SADD", "set", .. Enumerable.Range(first, BatchSize * 10).Select(Member)]);
        }

        for (int first = 0; first < KeyCount; first += BatchSize * 10)
        {
            int[] gone = [.. Enumerable.Range(first, BatchSize * 10).Where(static number => number % 4 != 0)];
            client.Call(["DEL", .. gone.Select(static number => $"key:{number}")]);
            client.Call(["SREM", "set", .. gone.Select(Member)]);
        }

        AssertExplained(client);
        string digest = client.Run("DEBUG DIGEST");
        string before = client.Call("INFO", "memory").Text;
        Assert.Equal("+OK", client.Run("CONFIG SET activedefrag yes"));
        Assert.True(SpinWait.SpinUntil(() =>
        {
            Thread.Sleep(BatchSize);
            return FieldOf(client.Call("INFO", "memory").Text, "allocator_frag_bytes")
                < FieldOf(before, "allocator_frag_bytes") / 3;
        }, PatienceMs), client.Run("INFO everything"));
        Assert.InRange(ResidentKilobytes(run.ProcessId), 1,
            (FieldOf(before, "used_memory_rss") - (FieldOf(before, "allocator_frag_bytes") / 2)) >> 10);
        AssertExplained(client);
        Assert.Equal(digest, client.Run("DEBUG DIGEST"));
        Assert.Equal("+OK", client.Run("FLUSHALL"));
        Assert.True(SpinWait.SpinUntil(() =>
        {
            Thread.Sleep(BatchSize);
            return ResidentKilobytes(run.ProcessId) < empty + ExplainedKilobytes;
        }, PatienceMs), $"{ResidentKilobytes(run.ProcessId)} kB are resident, {empty} were");
        AssertExplained(client);

        static string Member(int number) => $"member:{number}:{number}";
    }

    /// <summary>What the process has beside the server's own pages is small, and the fields of INFO add up to
    /// what is resident.</summary>
    private static void AssertExplained(RespClient client)
    {
        string info = client.Call("INFO", "memory").Text;
        long resident = FieldOf(info, "used_memory_rss") >> 10;
        long explained = FieldOf(info, "allocator_resident") >> 10;
        Assert.InRange(resident - explained, 0, Math.Max(ExplainedKilobytes, resident / ExplainedShare));
        Assert.Equal(FieldOf(info, "used_memory_rss"), FieldOf(info, "used_memory")
            + FieldOf(info, "allocator_frag_bytes") + FieldOf(info, "allocator_rss_bytes")
            + FieldOf(info, "rss_overhead_bytes"));
    }

    // Most strings, collections and big values: all but every eighth.
    private static void RemovePart(RespClient client)
    {
        for (int count = 0; count < KeyCount / BatchSize; count++)
        {
            if (count % 8 == 0)
                continue;
            client.Call(["UNLINK", $"set:{count}", $"list:{count}", $"big:{count}", $"zset:{count}",
                $"stream:{count}",
                .. Enumerable.Range(0, BatchSize / 10).SelectMany(
                    place => new[] { $"{count}:{place}", $"hash:{count}:{place}" }),
                .. Enumerable.Range(count * BatchSize, BatchSize).Select(static number => $"key:{number}")]);
        }
    }

    private static void FillWithAll(RespClient client)
    {
        Assert.Equal("+OK", client.Run($"DEBUG POPULATE {KeyCount}"));
        var random = new Random(KeyCount);
        string[] members = [.. Enumerable.Range(0, BatchSize * BatchSize).Select(
            static number => $"member:{number}")];
        for (int count = 0; count < KeyCount / BatchSize; count++)
        {
            for (int place = 0; place < BatchSize / 10; place++)
            {
                client.Send("SET", $"{count}:{place}", new string('v', random.Next(1, 4000)));
                client.Send(["HSET", $"hash:{count}:{place}", .. members.AsSpan(0, 2 * random.Next(1, 10))]);
            }

            client.Send(["SADD", $"set:{count}", .. members.AsSpan(0, random.Next(1, BatchSize))]);
            client.Send(["RPUSH", $"list:{count}", .. members.AsSpan(0, random.Next(1, BatchSize))]);
            client.Send(["ZADD", $"zset:{count}", .. ScoresOf(members.AsSpan(0, random.Next(1, BatchSize)))]);
            client.Send([
                "XADD", $"stream:{count}", "*", .. members.AsSpan(0, 2 * random.Next(1, BatchSize))]);
            for (int reply = 0; reply < (BatchSize / 5) + 4; reply++)
                Assert.NotEqual('-', client.Read().ToString()[0]);
        }

        for (int count = 0; count < BatchSize; count++)
        {
            client.Call("SET", $"big:{count}", new string('v', random.Next(50_000, 1_000_000)));
            client.Call(["SADD", "one set", .. members.AsSpan(count * BatchSize, BatchSize)]);
            client.Call(["RPUSH", "one list", .. members]);
            client.Call(["ZADD", "one zset", .. ScoresOf(members.AsSpan(count * BatchSize, BatchSize))]);
            for (int added = 0; added < BatchSize; added++)
                client.Send("XADD", "one stream", "*", "field", members[added]);
            for (int reply = 0; reply < BatchSize; reply++)
                Assert.Equal('$', client.Read().Kind);
        }
    }

    private static string[] ScoresOf(ReadOnlySpan<string> members)
    {
        var all = new string[2 * members.Length];
        for (int index = 0; index < members.Length; index++)
            (all[2 * index], all[(2 * index) + 1]) = ($"{index}.5", members[index]);
        return all;
    }

    private static void Remove(RespClient client, string command)
    {
        if (command == "FLUSHALL")
        {
            Assert.Equal("+OK", client.Run(command));
            return;
        }

        string cursor = "0";
        do
        {
            RespValue reply = client.Call("SCAN", cursor, "COUNT", "1000");
            cursor = reply.Items[0].Text;
            client.CallAll(reply.Items[1].Items.Select(key => (byte[][])(command == "DEL"
                ? [Encoding.ASCII.GetBytes(command), Encoding.ASCII.GetBytes(key.Text)]
                : [Encoding.ASCII.GetBytes(command), Encoding.ASCII.GetBytes(key.Text), "500"u8.ToArray()])));
        }
        while (cursor != "0");
    }

    private static long FieldOf(string info, string name)
    {
        string start = name + ":";
        string line = info.Split('\n').First(line => line.StartsWith(start, StringComparison.Ordinal));
        return long.Parse(line[start.Length..].Trim(), CultureInfo.InvariantCulture);
    }

    private static void Evaluate(RespClient client, ref int number, int count)
    {
        for (int end = number + count; number < end;)
        {
            List<byte[][]> batch = [];
            for (int place = 0; place < BatchSize; place++)
            {
                string script = $"local number = {number} -- {new string('x', BatchSize)}\n"
                    + $"redis.call('SET', 'key', 'value {number++}') return number";
                batch.Add(["EVAL"u8.ToArray(), Encoding.ASCII.GetBytes(script), "0"u8.ToArray()]);
            }

            client.CallAll([.. batch]);
        }
    }

    private static long ResidentKilobytes(int processId)
    {
        string line = File.ReadLines($"/proc/{processId}/status")
            .First(static line => line.StartsWith("VmRSS:", StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1],
            CultureInfo.InvariantCulture);
    }
}
