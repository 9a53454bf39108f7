using System;
using System.Globalization;
using System.IO;

namespace Cinnabar.Tests.Unit.Platform;

/// <summary>What Linux shows of this process's mappings.</summary>
internal static unsafe class Mappings
{
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
