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
