// The sizes in which small blocks come: every multiple of 8 up to 256, then sixteen to a doubling up to
// 4 KiB, then four up to 64 KiB.
//
//   index   0  1 …  31 |  32  33 …  47 |  48 …   63 |   64 …   79 |   80 …   95 |   96   97 … |  … 111
//   bytes   8 16 … 256 | 272 288 … 512 | 544 … 1024 | 1088 … 2048 | 2176 … 4096 | 5120 6144 … |  … 65536
//
// Rounding wastes under 8 bytes below 256, at most a sixteenth up to 4 KiB, at most a fifth above. MixedSlabs
// saves the partly filled pages of classes that hold little.

namespace Cinnabar.Memory;

/// <summary>Arithmetic of size classes.</summary>
internal static class SizeClass
{
    internal const int Count = 112;
    internal const int SizeMax = 64 * 1024;
    internal const int FineSizeMax = 256;
    internal const int MiddleSizeMax = 4096;
    private const int FineCount = FineSizeMax / 8;
    private const int MiddlePower = 8; // above 256
    private const int UpperPower = 12; // above 4 KiB
    private const int UpperIndex = FineCount + ((UpperPower - MiddlePower) << 4);

    /// <summary>The class whose blocks hold <paramref name="size"/> bytes, 0 to <see
    /// cref="SizeMax"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(nuint size)
    {
        uint last = (uint)size - (size != 0 ? 1u : 0u);
        if (last < FineSizeMax)
            return (int)(last >> 3);
        int power = BitOperations.Log2(last);
        if (power < UpperPower)
            return FineCount + ((power - MiddlePower) << 4) + (int)((last >> (power - 4)) & 15);
        return UpperIndex + ((power - UpperPower) << 2) + (int)((last >> (power - 2)) & 3);
    }

    /// <summary>The bytes of a block of this class.</summary>
    internal static int SizeOf(int index)
    {
        if (index < FineCount)
            return (index + 1) * 8;
        if (index < UpperIndex)
            return (17 + ((index - FineCount) & 15)) << (MiddlePower - 4 + ((index - FineCount) >> 4));
        return (5 + ((index - UpperIndex) & 3)) << (UpperPower - 2 + ((index - UpperIndex) >> 2));
    }
}
