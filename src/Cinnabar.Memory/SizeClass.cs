// The sizes in which small blocks come: every multiple of 8 up to 256, then four to a doubling up to 64 KiB,
// and eight between 2 and 4 KiB, where the pages of streams end up.
//
//   index   0  1  2 … 31 | 32  33  34  35 | … 40   41   42   43  | 44   45  … 51  | 52  … | … 64 … 67
//   bytes   8 16 24 … 256| 320 384 448 512| 1280 1536 1792 2048  | 2304 2560 … 4096| 5120 … | 40960 … 65536
//
// Rounding wastes under 8 bytes below 256 and at most a fifth (a tenth on average) above. Finer steps
// everywhere above 256 would save less than the half-empty slabs of the added classes cost; but a million
// entries of a stream take 28.5 bytes each in pages of 2,816 bytes where they took 31.1 in 3,072.
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Cinnabar.Memory;

/// <summary>Arithmetic of size classes.</summary>
internal static class SizeClass
{
    internal const int Count = 68;
    internal const int SizeMax = 64 * 1024;
    private const int FineSizeMax = 256;
    private const int FineCount = FineSizeMax / 8;
    private const int MiddlePower = 11; // above 2 KiB
    private const int MiddleIndex = FineCount + (MiddlePower - 8) * 4;
    private const int UpperIndex = MiddleIndex + 8;

    /// <summary>The class whose blocks hold <paramref name="size"/> bytes, 0 to <see
    /// cref="SizeMax"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(nuint size)
    {
        uint last = (uint)size - (size != 0 ? 1u : 0u);
        if (last < FineSizeMax)
            return (int)(last >> 3);
        int power = BitOperations.Log2(last);
        if (power == MiddlePower)
            return MiddleIndex + (int)((last >> (MiddlePower - 3)) & 7);
        int quarter = (int)((last >> (power - 2)) & 3);
        int start = power < MiddlePower ? FineCount - 32 : UpperIndex - 4 * (MiddlePower + 1);
        return start + (power << 2) + quarter;
    }

    /// <summary>The bytes of a block of this class.</summary>
    internal static int SizeOf(int index)
    {
        if (index < FineCount)
            return (index + 1) * 8;
        if (index < MiddleIndex)
            return Quarters(index - FineCount, 64);
        if (index < UpperIndex)
            return (9 + index - MiddleIndex) << (MiddlePower - 3);
        return Quarters(index - UpperIndex, 1 << (MiddlePower - 1));
    }

    // The sizes behind a power of two, whose quarter it is given.
    private static int Quarters(int number, int quarter) => (5 + (number & 3)) * (quarter << (number >> 2));
}
