using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>What a server has at one moment.</summary>
/// <param name="UsedBytes">Memory in use, as it counts.</param>
/// <param name="ResidentBytes">Memory of its process.</param>
/// <param name="ClientCount">Connections.</param>
/// <param name="DescriptorCount">Open descriptors of its process, those of assemblies left out; 0: this
/// system does not say.</param>
/// <param name="KeyCount">Keys of all databases.</param>
internal sealed record ServerState(
    long UsedBytes, long ResidentBytes, long ClientCount, int DescriptorCount, long KeyCount)
{
    /// <summary>Asks for it.</summary>
    public static ServerState Of(ServerRun run, RespClient client)
    {
        string info = client.Call("INFO", "everything").Text;
        return new(Field(info, "used_memory"), Field(info, "used_memory_rss"),
            Field(info, "connected_clients"),
            CountDescriptors($"/proc/{run.ProcessId}/fd"), Keys(info));
    }

    /// <summary>What a client leaves behind when it has gone and should not: waits, watches, subscriptions,
    /// tracking, saves that go on. Empty: nothing.</summary>
    public static string Remains(RespClient client)
    {
        string info = client.Call("INFO", "everything").Text;
        string[] names =
        [
            "blocked_clients", "tracking_clients", "watching_clients", "pubsub_clients", "pubsub_channels",
            "pubsub_patterns", "pubsubshard_channels", "tracking_total_keys", "total_blocking_keys",
            "rdb_bgsave_in_progress", "aof_rewrite_in_progress", "aof_rewrite_scheduled",
        ];
        return string.Join(", ", names.Select(name => (name, count: Field(info, name)))
            .Where(static pair => pair.count != 0).Select(static pair => $"{pair.name} {pair.count}"));
    }

    // The managed build opens an assembly when it first needs it.
    private static int CountDescriptors(string folder) => Directory.Exists(folder)
        ? Directory.GetFileSystemEntries(folder).Count(static entry =>
            new FileInfo(entry).LinkTarget is { } target
                && !target.EndsWith(".dll", StringComparison.Ordinal))
        : 0;

    private static long Field(string info, string name)
    {
        string start = name + ":";
        string line = info.Split('\n').First(line => line.StartsWith(start, StringComparison.Ordinal));
        return long.Parse(line.AsSpan(start.Length).Trim(), CultureInfo.InvariantCulture);
    }

    // db0:keys=5,expires=0,...
    private static long Keys(string info) => info.Split('\n')
        .Where(static line => line.StartsWith("db", StringComparison.Ordinal) && line.Contains(":keys="))
        .Sum(static line => long.Parse(line.Split('=', ',')[1], CultureInfo.InvariantCulture));
}
