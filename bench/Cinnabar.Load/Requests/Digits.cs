using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Cinnabar.Load.Requests;

/// <summary>Decimal numbers written where requests are built, without anything between.</summary>
internal static unsafe class Digits
{
    private const ulong Zeros = 0x3030_3030_3030_3030;

    /// <summary>How many digits a number from 0 has.</summary>
    public static int Count(long number)
    {
        int count = 1;
        for (ulong rest = (ulong)number; rest >= 10; rest /= 10) count++;
        return count;
    }

    /// <summary>Writes the last <paramref name="size"/> digits of a number from 0, zeros in front.</summary>
    // SAFETY: writes exactly size bytes from target on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Write(byte* target, long number, int size)
    {
        ulong rest = (ulong)number;
        for (; size >= 8; rest /= 100_000_000)
        {
            size -= 8;
            ulong eight = Eight((uint)(rest % 100_000_000));
            BinaryPrimitives.WriteUInt64LittleEndian(new Span<byte>(target + size, 8), eight);
        }
        if (size == 0) return;
        // The last digits come last in the eight bytes.
        ulong digits = (rest == 0 ? Zeros : Eight((uint)(rest % 100_000_000))) >> (8 * (8 - size));
        if (size >= 4)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(new Span<byte>(target, 4), (uint)digits);
            digits >>= 32;
            target += 4;
            size -= 4;
        }
        for (; size > 0; size--, digits >>= 8) *target++ = (byte)digits;
    }

    // Eight digits at once: halves of four, quarters of two, each divided within its part of the word; the
    // first digit ends up in the lowest byte. Multiplying by 10486 and shifting by 20 divides what is below
    // 10,000 by 100; 103 and 10 divide what is below 100 by 10.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Eight(uint number)
    {
        ulong fours = number / 10_000 | (ulong)(number % 10_000) << 32;
        ulong hundreds = (fours * 10486 >> 20) & 0x7f_0000_007f;
        ulong twos = hundreds | (fours - hundreds * 100) << 16;
        ulong tens = (twos * 103 >> 10) & 0x000f_000f_000f_000f;
        ulong ones = tens | (twos - tens * 10) << 8;
        return ones + Zeros;
    }
}
