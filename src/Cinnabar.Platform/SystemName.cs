using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Cinnabar.Platform;

/// <summary>What the system is called.</summary>
public static class SystemName
{
    /// <summary>
    /// System, release and machine, as <c>uname -srm</c> prints them: <c>Linux 6.1.0 x86_64</c>.
    /// </summary>
    public static string Full { get; } = $"{Name} {Release} {Machine}";

    private static string Name => OperatingSystem.IsLinux() ? "Linux"
        : OperatingSystem.IsMacOS() ? "Darwin"
        : OperatingSystem.IsWindows() ? "Windows"
        : Environment.OSVersion.Platform.ToString();

    private static string Release => OperatingSystem.IsLinux()
        ? File.ReadAllText("/proc/sys/kernel/osrelease").Trim()
        : Environment.OSVersion.Version.ToString();

    private static string Machine => RuntimeInformation.OSArchitecture switch
    {
        Architecture.X64 => "x86_64",
        Architecture.X86 => "i686",
        Architecture.Arm64 => OperatingSystem.IsMacOS() ? "arm64" : "aarch64",
        Architecture other => other.ToString().ToLowerInvariant(),
    };
}
