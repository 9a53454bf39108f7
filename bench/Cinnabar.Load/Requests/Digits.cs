using System.Runtime.CompilerServices;

namespace Cinnabar.Load.Requests;

/// <summary>Decimal numbers written where requests are built, without anything between.</summary>
internal static unsafe class Digits
{
    /// <summary>How many digits a number from 0 has.</summary>
    public static int Count(long number)
    {
        int count = 1;
        for (ulong rest = (ulong)number; rest >= 10; rest /= 10) count++;
        return count;
    }

    /// <summary>Writes the last <paramref name="size"/> digits of a number from 0, zeros in front.</summary>
    // SAFETY: writes exactly size bytes from target on.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Write(byte* target, long number, int size)
    {
        // Halves of eight digits keep the divisions in 32 bits, which cost a fraction of those in 64.
        ulong high = (ulong)number;
        while (size > 8)
        {
            ulong rest = high / 100_000_000;
            WriteLow(target + size - 8, (uint)(high - rest * 100_000_000), 8);
            high = rest;
            size -= 8;
        }
        WriteLow(target, (uint)(high % 100_000_000), size);
    }

    private static void WriteLow(byte* target, uint number, int size)
    {
        for (int at = size - 1; at >= 0; at--)
        {
            uint rest = number / 10;
            target[at] = (byte)('0' + (number - rest * 10));
            number = rest;
        }
    }
}
