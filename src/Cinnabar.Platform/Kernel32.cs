using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>The Windows functions that this module needs.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class Kernel32
{
    internal const uint Commit = 0x1000;
    internal const uint Reserve = 0x2000;
    internal const uint Release = 0x8000;
    internal const uint PageReadWrite = 4;

    [LibraryImport("kernel32", EntryPoint = "VirtualAlloc", SetLastError = true)]
    internal static partial byte* VirtualAlloc(byte* address, nuint size, uint type, uint protection);

    [LibraryImport("kernel32", EntryPoint = "VirtualFree", SetLastError = true)]
    internal static partial int VirtualFree(byte* address, nuint size, uint type);

    [LibraryImport("kernel32")]
    internal static partial uint DiscardVirtualMemory(byte* address, nuint size);

    [LibraryImport("kernel32", EntryPoint = "GlobalMemoryStatusEx", SetLastError = true)]
    internal static partial int GlobalMemoryStatus(WindowsMemoryStatus* status);
}
