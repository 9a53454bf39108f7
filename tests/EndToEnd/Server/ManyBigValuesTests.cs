using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>More big values than Linux grants a process mappings (<c>vm.max_map_count</c>), and every second
/// of them deleted: this ended the process once. With <c>--long</c> only: it takes 10 GB.</summary>
public sealed class ManyBigValuesTests
{
    private const int ValueCount = 140_000;
    private const int ValueBytes = 65_537;
    private const int BatchCount = 100;
    private const long MemoryNeeded = 14L << 30;
    private const int LongSecondsMin = 1000;
    private const int MappingCountMax = 8192;

    private static int Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds : 0;

    [Fact]
    public void EverySecondIsDeletedAndTheServerGoesOn()
    {
        Assert.SkipUnless(Seconds >= LongSecondsMin, "it takes 10 GB: ./x test --long");
        Assert.SkipUnless(OperatingSystem.IsLinux() && FreeBytes() >= MemoryNeeded, "14 GB are not free");
        using var server = new OwnServer(2, ("save", ""));
        using RespClient client = server.Connect();
        byte[] value = new byte[ValueBytes];
        Send(server, number => ["SET", $"key:{number}"], value, step: 1);
        Assert.Equal($":{ValueCount}", client.Run("DBSIZE"));
        Send(server, number => ["DEL", $"key:{number}"], null, step: 2);
        Assert.Equal($":{ValueCount / 2}", client.Run("DBSIZE"));
        Assert.Equal($":{ValueBytes}", client.Run("STRLEN key:1"));
        string pid = client.Run("INFO server").Split('\n')
            .Single(static line => line.StartsWith("process_id:", StringComparison.Ordinal))
            .Trim()["process_id:".Length..];
        Assert.InRange(File.ReadLines($"/proc/{pid}/maps").Count(), 1, MappingCountMax);
        Assert.Equal("+OK", client.Run("FLUSHALL SYNC"));
        Assert.Equal("+OK", client.Run("SET key value"));
    }

    // One command a key, some in flight; each replies one line.
    private static void Send(OwnServer server, Func<int, string[]> words, byte[]? value, int step)
    {
        using RespClient client = server.Connect();
        for (int first = 0; first < ValueCount; first += BatchCount * step)
        {
            byte[][][] batch = [.. Enumerable.Range(0, BatchCount)
                .Select(index => first + (index * step)).Where(static number => number < ValueCount)
                .Select(number => (byte[][])[.. words(number).Select(Encoding.ASCII.GetBytes),
                    .. value is null ? (byte[][])[] : [value]])];
            RespValue[] replies = client.CallAll(batch);
            Assert.DoesNotContain(replies, static reply => reply.ToString().StartsWith('-'));
        }
    }

    private static long FreeBytes()
    {
        string line = File.ReadLines("/proc/meminfo")
            .First(static line => line.StartsWith("MemAvailable:", StringComparison.Ordinal));
        string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return long.Parse(words[1], CultureInfo.InvariantCulture) << 10;
    }
}
