// The limit that a control group sets to the memory of this process, on Linux. A group cannot use more than
// any of the groups above it may, so the least limit on the way up counts.
//
//   version   /proc/self/cgroup   file below /sys/fs/cgroup
//   2         0::/path            path/memory.max                      "max" or bytes
//   1         7:memory:/path      memory/path/memory.limit_in_bytes
//
// In a container the path may be one that only the host has: then the root of the file system of groups is
// the container's own, and the files on the way that do not exist are passed over.

using System.IO;

namespace Cinnabar.Platform;

/// <summary>Reads the limit of the process's control group.</summary>
public static class ContainerLimit
{
    private const string MemoryController = "memory";

    /// <summary>Bytes that the process's group may use; <see cref="long.MaxValue"/>: any number.</summary>
    /// <param name="membership">The file that names the groups, <c>/proc/self/cgroup</c>.</param>
    /// <param name="root">Where the file system of groups is mounted, <c>/sys/fs/cgroup</c>.</param>
    public static long Read(string membership, string root)
    {
        long limit = long.MaxValue;
        if (!File.Exists(membership))
            return limit;
        foreach (string line in File.ReadLines(membership))
        {
            string[] parts = line.Split(':', 3);
            if (parts.Length < 3)
                continue;
            bool isUnified = parts[0] == "0" && parts[1].Length == 0;
            if (isUnified)
                limit = Math.Min(limit, LeastOnTheWay(root, parts[2], "memory.max"));
            else if (Array.IndexOf(parts[1].Split(','), MemoryController) >= 0)
                limit = Math.Min(limit, LeastOnTheWay(
                    Path.Combine(root, MemoryController), parts[2], "memory.limit_in_bytes"));
        }

        return limit;
    }

    private static long LeastOnTheWay(string root, string path, string name)
    {
        long least = long.MaxValue;
        for (string? group = path; group is not null; group = Path.GetDirectoryName(group))
        {
            string file = Path.Join(root, group, name);
            if (File.Exists(file)
                && long.TryParse(File.ReadAllText(file).AsSpan().Trim(), CultureInfo.InvariantCulture,
                    out long bytes))
                least = Math.Min(least, bytes);
        }

        return least;
    }
}
