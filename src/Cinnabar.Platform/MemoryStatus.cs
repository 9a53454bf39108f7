using System.IO;
using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>The system's figures about memory. Every call asks the system, which takes tens of
/// microseconds.</summary>
public static unsafe class MemoryStatus
{
    /// <summary>Bytes of physical memory that the machine has, whatever limits this process.</summary>
    public static long SystemTotalBytes
    {
        get
        {
            if (OperatingSystem.IsLinux())
                return ReadKilobytes("/proc/meminfo", "MemTotal:");
            if (OperatingSystem.IsMacOS())
                return ReadTotalOnMac();
            return OperatingSystem.IsWindows() ? ReadTotalOnWindows() : AvailableToProcessBytes;
        }
    }

    /// <summary>Bytes that this process may use: the machine's, or a container's limit where that is
    /// less.</summary>
    public static long AvailableToProcessBytes => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    /// <summary>Bytes that the machine has, or that the container may use where that is less.</summary>
    public static long MachineOrContainerBytes => OperatingSystem.IsLinux()
        ? Math.Min(SystemTotalBytes, ContainerLimit.Read("/proc/self/cgroup", "/sys/fs/cgroup"))
        : SystemTotalBytes;

    private static long ReadKilobytes(string path, string name)
    {
        foreach (string line in File.ReadLines(path))
        {
            if (!line.StartsWith(name, StringComparison.Ordinal))
                continue;
            ReadOnlySpan<char> value = line.AsSpan(name.Length).Trim();
            int unit = value.IndexOf(' ');
            return long.Parse(unit < 0 ? value : value[..unit], CultureInfo.InvariantCulture) * 1024;
        }
        throw new InvalidDataException($"{path} has no line {name}");
    }

    [SupportedOSPlatform("macos")]
    private static long ReadTotalOnMac()
    {
        ulong total;
        nuint size = sizeof(ulong);
        // SAFETY: the call writes at most `size` bytes to our stack.
        if (LibC.ReadSystemValue("hw.memsize", &total, &size, null, 0) != 0)
            throw new InvalidOperationException("sysctlbyname(hw.memsize) failed");
        return (long)total;
    }

    [SupportedOSPlatform("windows")]
    private static long ReadTotalOnWindows()
    {
        WindowsMemoryStatus status = default;
        status.Length = (uint)sizeof(WindowsMemoryStatus);
        // SAFETY: the call writes one structure of the given length to our stack.
        if (Kernel32.GlobalMemoryStatus(&status) == 0)
            throw new InvalidOperationException("GlobalMemoryStatusEx failed");
        return (long)status.TotalPhysical;
    }
}
