// The sizes in which small blocks come: every multiple of 8 up to 256, then four to a doubling up to 64 KiB.
//
//   index   0  1  2 … 31 | 32  33  34  35 | 36  37  38   39  | …  60 … 63
//   bytes   8 16 24 … 256| 320 384 448 512| 640 768 896 1024 | … 40960 … 65536
//
// Rounding wastes under 8 bytes below 256 and at most a fifth (a tenth on average) above. Finer steps above
// 256 would save less than the half-empty slabs of the added classes cost.
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Cinnabar.Memory;

/// <summary>Arithmetic of size classes.</summary>
internal static class SizeClass
{
    internal const int Count = 64;
    internal const int SizeMax = 64 * 1024;
    private const int FineSizeMax = 256;
    private const int FineCount = FineSizeMax / 8;

    /// <summary>The class whose blocks hold <paramref name="size"/> bytes, 0 to <see
    /// cref="SizeMax"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(nuint size)
    {
        uint last = (uint)size - (size != 0 ? 1u : 0u);
        if (last < FineSizeMax)
            return (int)(last >> 3);
        int power = BitOperations.Log2(last);
        return FineCount + ((power - 8) << 2) + (int)((last >> (power - 2)) & 3);
    }

    /// <summary>The bytes of a block of this class.</summary>
    internal static int SizeOf(int index)
    {
        if (index < FineCount)
            return (index + 1) * 8;
        int power = (index - FineCount) >> 2;
        int quarter = (index - FineCount) & 3;
        return (5 + quarter) * (64 << power);
    }
}
