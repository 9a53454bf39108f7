// Anonymous memory straight from the operating system: reserved, committed, zeroed, whole pages.
//
// Alignment. mmap promises no more than a page. Map first asks for exactly the size: mappings are usually
// laid side by side, so once one 4 MiB region is aligned, its neighbours are too. Where that fails it asks
// for size + alignment and gives back what sticks out on both sides. Windows cannot release a part of a
// reservation: there the place is found with a larger reservation, released, and claimed again at the aligned
// address; another thread may get in between, hence the bounded retries.
//
// Discard keeps the addresses and gives up the memory: MADV_DONTNEED on Linux, a new mapping over the old one
// on macOS (its MADV_FREE does not promise zeroes), decommit and commit on Windows. Where the system refuses
// (pages locked by mlockall) the pages are cleared instead, so that the promise "reads as zero" holds
// everywhere.
//
// Nothing is cached here: every call is a system call or two, made for sizes from a page to megabytes.
using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>Maps, unmaps and empties anonymous zeroed pages.</summary>
public static unsafe class NativePages
{
    private const int WindowsAttemptsMax = 64;

    /// <summary>The system's page size in bytes: at least 4096, a power of two.</summary>
    public static nuint PageSize { get; } = (nuint)Environment.SystemPageSize;

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
    public static void Unmap(byte* address, nuint size)
    {
        if (OperatingSystem.IsWindows())
        {
            if (Kernel32.VirtualFree(address, 0, Kernel32.Release) == 0)
                throw Failure("VirtualFree", address, size);
        }
        else if (LibC.Unmap(address, size) != 0)
        {
            throw Failure("munmap", address, size);
        }
    }

    /// <summary>Gives the memory of whole pages back; the addresses stay valid and read as zero.</summary>
    /// <param name="address">Inside a mapping, a multiple of <see cref="PageSize"/>.</param>
    /// <param name="size">Bytes, a multiple of <see cref="PageSize"/>.</param>
    public static void Discard(byte* address, nuint size)
    {
        if (((nuint)address | size) % PageSize != 0)
            throw new ArgumentException($"not whole pages: 0x{(nuint)address:x}, {size} bytes");
        if (size == 0)
            return;
        if (!TryDiscard(address, size))
            NativeMemory.Clear(address, size);
    }

    /// <summary>
    /// Asks for huge pages where the system leaves that to programs: a hint, without effect elsewhere. Random
    /// access to gigabytes then misses the address translation cache far less.
    /// </summary>
    /// <param name="address">Inside a mapping, best a multiple of 2 MiB.</param>
    /// <param name="size">Bytes, best a multiple of 2 MiB.</param>
    /// <returns>Whether the system took the hint.</returns>
    public static bool AdviseHuge(byte* address, nuint size) =>
        OperatingSystem.IsLinux() && LibC.Advise(address, size, LibC.AdviseHugePages) == 0;

    private static bool TryDiscard(byte* address, nuint size)
    {
        if (OperatingSystem.IsLinux())
            return LibC.Advise(address, size, LibC.AdviseDontNeed) == 0;
        if (!OperatingSystem.IsWindows())
        {
            int flags = LibC.MapPrivate | LibC.MapAnonymousMac | LibC.MapFixed;
            return LibC.Map(address, size, LibC.ProtectReadWrite, flags, -1, 0) == address;
        }
        if (Kernel32.VirtualFree(address, size, Kernel32.Decommit) == 0)
            return false;
        if (Kernel32.VirtualAlloc(address, size, Kernel32.Commit, Kernel32.PageReadWrite) == null)
            throw Exhausted(size);
        return true;
    }

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

    private static InvalidOperationException Failure(string call, byte* address, nuint size) =>
        new($"{call}(0x{(nuint)address:x}, {size}) failed: error {Marshal.GetLastPInvokeError()}");
}
