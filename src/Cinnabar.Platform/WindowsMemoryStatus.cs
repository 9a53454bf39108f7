namespace Cinnabar.Platform;

/// <summary>Windows' <c>MEMORYSTATUSEX</c>: sizes in bytes.</summary>
internal struct WindowsMemoryStatus
{
    internal uint Length;
    internal uint LoadPercent;
    internal ulong TotalPhysical;
    internal ulong AvailablePhysical;
    internal ulong TotalPageFile;
    internal ulong AvailablePageFile;
    internal ulong TotalVirtual;
    internal ulong AvailableVirtual;
    internal ulong AvailableExtendedVirtual;
}
