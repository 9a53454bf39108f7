// Anonymous memory straight from the operating system: reserved, committed, zeroed, whole pages.
//
// Alignment. mmap promises no more than a page. Map first asks for exactly the size: mappings are usually
// laid side by side, so once one 4 MiB region is aligned, its neighbours are too. Where that fails it asks
// for size + alignment and gives back what sticks out on both sides. Windows cannot release a part of a
// reservation: there a larger reservation finds the place, is released, and the aligned address is claimed;
// another thread may take it in between, hence the bounded retries.
//
// Discard keeps the addresses and releases the memory: MADV_DONTNEED on Linux, MADV_FREE on macOS,
// DiscardVirtualMemory on Windows. It never fails: where the system refuses (pages locked by mlockall) the
// memory stays. Nor does Unmap fail: at the limit of mappings (vm.max_map_count) the system may refuse it,
// because a mapping that loses its middle becomes two; then the memory goes, the addresses stay taken.
//
// Nothing is cached here: every call is one or two system calls, for sizes from a page to megabytes.
using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>Maps, unmaps and empties anonymous zeroed pages.</summary>
public static unsafe class NativePages
{
    private const int WindowsAttemptsMax = 64;

    /// <summary>The system's page size in bytes: at least 4096, a power of two.</summary>
    public static nuint PageSize
    {
        // Out of line: callers would check whether the class's constructor has run.
        [MethodImpl(MethodImplOptions.NoInlining)]
        get;
    } = (nuint)Environment.SystemPageSize;

    /// <summary>Maps readable, writable, zeroed memory which becomes resident when first touched.</summary>
    /// <param name="size">Bytes, more than 0, a multiple of 4096.</param>
    /// <param name="alignment">A power of two, at least 4096; 4 MiB is what callers need.</param>
    /// <exception cref="OutOfMemoryException">The system has no memory or address space left.</exception>
    public static byte* Map(nuint size, nuint alignment)
    {
        if (size == 0 || size % 4096 != 0)
            throw new ArgumentOutOfRangeException(nameof(size), size, "not a positive multiple of 4096");
        if (alignment < 4096 || (alignment & (alignment - 1)) != 0)
            throw new ArgumentOutOfRangeException(nameof(alignment), alignment, "not 4096 shifted left");
        return OperatingSystem.IsWindows() ? MapOnWindows(size, alignment) : MapOnUnix(size, alignment);
    }

    /// <summary>Unmaps what one call of <see cref="Map"/> returned, all of it.</summary>
    /// <param name="address">As returned by <see cref="Map"/>.</param>
    /// <param name="size">As given to <see cref="Map"/>.</param>
    /// <returns>False if the system refused: the addresses are still valid, their memory is
    /// discarded.</returns>
    public static bool Unmap(byte* address, nuint size)
    {
        Debug.Assert(address != null && size != 0 && ((nuint)address | size) % 4096 == 0, "not a mapping");
        bool isUnmapped = OperatingSystem.IsWindows()
            ? Kernel32.VirtualFree(address, 0, Kernel32.Release) != 0
            : LibC.Unmap(address, size) == 0;
        if (!isUnmapped)
            Discard(address, size);
        return isUnmapped;
    }

    /// <summary>Releases the memory of whole pages; the addresses stay valid, their contents are
    /// undefined.</summary>
    /// <param name="address">Inside a mapping, a multiple of <see cref="PageSize"/>.</param>
    /// <param name="size">Bytes, a multiple of <see cref="PageSize"/>.</param>
    public static void Discard(byte* address, nuint size)
    {
        Debug.Assert(((nuint)address | size) % PageSize == 0, "not whole pages are discarded");
        if (size == 0)
            return;
        // After a refusal the memory stays, which callers need not know.
        if (OperatingSystem.IsWindows())
            _ = Kernel32.DiscardVirtualMemory(address, size);
        else
            _ = LibC.Advise(
                address, size, OperatingSystem.IsLinux() ? LibC.AdviseDontNeed : LibC.AdviseFreeMac);
    }

    /// <summary>
    /// Asks for huge pages; without effect where the system does not leave that to programs. Random access to
    /// gigabytes then has far fewer TLB misses.
    /// </summary>
    /// <param name="address">Inside a mapping, best a multiple of 2 MiB.</param>
    /// <param name="size">Bytes, best a multiple of 2 MiB.</param>
    /// <returns>Whether the system accepted the advice.</returns>
    public static bool AdviseHuge(byte* address, nuint size) =>
        OperatingSystem.IsLinux() && LibC.Advise(address, size, LibC.AdviseHugePages) == 0;

    private static byte* MapOnUnix(nuint size, nuint alignment)
    {
        byte* address = TryMapOnUnix(size);
        if (address == null)
            throw Exhausted(size);
        if (((nuint)address & (alignment - 1)) == 0)
            return address;
        Unmap(address, size);
        nuint wideSize = size + alignment;
        byte* wide = TryMapOnUnix(wideSize);
        if (wide == null)
            throw Exhausted(size);
        byte* aligned = (byte*)(((nuint)wide + alignment - 1) & ~(alignment - 1));
        if (aligned != wide)
            Unmap(wide, (nuint)(aligned - wide));
        nuint rest = wideSize - (nuint)(aligned - wide) - size;
        if (rest != 0)
            Unmap(aligned + size, rest);
        Debug.Assert(aligned >= wide && aligned + size <= wide + wideSize, "it lies in what was mapped");
        return aligned;
    }

    private static byte* TryMapOnUnix(nuint size)
    {
        int flags = OperatingSystem.IsLinux()
            ? LibC.MapPrivate | LibC.MapAnonymousLinux | LibC.MapNoReserveLinux
            : LibC.MapPrivate | LibC.MapAnonymousMac;
        byte* address = LibC.Map(null, size, LibC.ProtectReadWrite, flags, -1, 0);
        return (nint)address == -1 ? null : address;
    }

    [SupportedOSPlatform("windows")]
    private static byte* MapOnWindows(nuint size, nuint alignment)
    {
        const uint type = Kernel32.Reserve | Kernel32.Commit;
        byte* address = Kernel32.VirtualAlloc(null, size, type, Kernel32.PageReadWrite);
        for (int attempt = 0; attempt < WindowsAttemptsMax; attempt++)
        {
            if (address != null && ((nuint)address & (alignment - 1)) == 0)
                return address;
            if (address != null)
                Unmap(address, size);
            nuint wideSize = size + alignment;
            byte* wide = Kernel32.VirtualAlloc(null, wideSize, Kernel32.Reserve, Kernel32.PageReadWrite);
            if (wide == null)
                throw Exhausted(size);
            Unmap(wide, wideSize);
            byte* aligned = (byte*)(((nuint)wide + alignment - 1) & ~(alignment - 1));
            address = Kernel32.VirtualAlloc(aligned, size, type, Kernel32.PageReadWrite);
        }
        throw Exhausted(size);
    }

    private static OutOfMemoryException Exhausted(nuint size) =>
        new($"the system gave no {size} bytes (error {Marshal.GetLastPInvokeError()})");
}
