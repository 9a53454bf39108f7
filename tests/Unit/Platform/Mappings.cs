using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Unit.Platform;

/// <summary>What Linux shows of this process's mappings.</summary>
internal static unsafe class Mappings
{
    /// <summary>How many mappings the process has; 0 where the system does not show them.</summary>
    internal static int Count() =>
        File.Exists("/proc/self/maps") ? File.ReadLines("/proc/self/maps").Count() : 0;

    /// <summary>Bytes of the pages from an address on that are in memory.</summary>
    internal static long PresentBytes(nint address, long size)
    {
        // Eight bytes a page; the highest bit says that the page is in memory.
        long pageSize = (long)NativePages.PageSize;
        using FileStream map = File.OpenRead("/proc/self/pagemap");
        map.Position = address / pageSize * sizeof(long);
        var entries = new byte[size / pageSize * sizeof(long)];
        map.ReadExactly(entries);
        return entries.Where(static (_, index) => index % 8 == 7).Count(static one => one >= 0x80) * pageSize;
    }

    /// <summary>The flags of the mapping that holds an address (<c>hg</c>: huge pages are asked for); none
    /// where the system does not show them.</summary>
    internal static string[] FlagsOf(byte* address)
    {
        if (!File.Exists("/proc/self/smaps"))
            return [];
        bool isIt = false;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            int dash = line.IndexOf('-', StringComparison.Ordinal);
            int blank = line.IndexOf(' ', StringComparison.Ordinal);
            if (dash > 0 && dash < blank
                && nuint.TryParse(line[..dash], NumberStyles.HexNumber, null, out nuint start)
                && nuint.TryParse(line[(dash + 1)..blank], NumberStyles.HexNumber, null, out nuint end))
                isIt = (nuint)address >= start && (nuint)address < end;
            if (isIt && line.StartsWith("VmFlags:", StringComparison.Ordinal))
                return line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1..];
        }

        return [];
    }
}
