// LZF: a fast compression for small blocks, the one that Redis uses. A block is a row of two things:
//
//   000lllll  byte ...            l + 1 bytes as they are
//   LLLooooo  oooooooo            L + 2 bytes that came o + 1 bytes ago (L 1 to 6)
//   111ooooo  llllllll oooooooo   l + 9 bytes that came o + 1 bytes ago
//
// so copies are 3 to 264 bytes long and at most 8,192 bytes back. They may overlap what they write: a run of
// one byte is a copy from one byte back.
//
// The compressor looks at the three bytes at each position, finds by their hash where the same three were
// last, and takes the match there at once: it does not search for a longer one. It looks into no chain. Of
// the positions within a copy it notes the second and the last two only: the others would displace those that
// the copy came from, where other long copies come from too. (Noting all makes running text 6 % larger and
// takes longer; without the second, small collections are 1 % larger.) The positions are in a table of 512
// to 8,192 words, by the size of the block, which either lies on the stack or outlives the block (LzfTable):
// for a block of 100 bytes clearing it would cost more than the work.
//
// The size of the original is not in the block: the user stores it beside the block. Source: the format of
// Marc Lehmann's LibLZF, as its documentation describes it.

namespace Cinnabar.Structures.Compression;

/// <summary>Compresses and expands blocks.</summary>
public static unsafe class Lzf
{
    /// <summary>What cannot be compressed gets one byte longer with each of as many bytes.</summary>
    public const int LiteralsMax = 32;

    /// <summary>Slots of the largest table of positions.</summary>
    internal const int SlotCountMax = 1 << SlotBitsMax;

    /// <summary>How far back a copy reaches.</summary>
    internal const int DistanceMax = 1 << 13;

    private const int SlotBitsMin = 9;
    private const int SlotBitsMax = 13;
    private const uint HashFactor = 2654435761;
    private const int CopyMin = 3;
    private const int CopyMax = 264;
    private const int ShortCopyMax = 8;

    // Positions at the end of a copy that are noted.
    private const int KnownOfCopy = 2;

    /// <summary>Compresses a block.</summary>
    /// <param name="source">The block.</param>
    /// <param name="target">Where it goes; must not overlap.</param>
    /// <returns>How many bytes were written, or 0 if they would have been more than there is room.</returns>
    public static int Compress(ReadOnlySpan<byte> source, Span<byte> target)
    {
        int bits = SlotBitsFor(source.Length);
        uint* slots = stackalloc uint[1 << bits];
        new Span<uint>(slots, 1 << bits).Clear();
        return Compress(new Positions(slots, bits, DistanceMax + 1), source, target);
    }

    /// <summary>As <see cref="Compress(ReadOnlySpan{byte}, Span{byte})"/>, with a table that serves one block
    /// after the other.</summary>
    public static int Compress(LzfTable table, ReadOnlySpan<byte> source, Span<byte> target)
    {
        uint origin = table.Begin(source.Length);
        return Compress(new Positions(table.Slots, SlotBitsFor(source.Length), origin), source, target);
    }

    /// <summary>Expands a block.</summary>
    /// <param name="source">What <see cref="Compress"/>, or another implementation, has written.</param>
    /// <param name="target">Where it goes: just as large as what was compressed.</param>
    /// <returns>False where the block is corrupt, or is not of this size.</returns>
    public static bool TryExpand(ReadOnlySpan<byte> source, Span<byte> target)
    {
        fixed (byte* read = source)
        fixed (byte* written = target)
            return TryExpand(read, read + source.Length, written, written + target.Length);
    }

    // SAFETY: every length is compared with what is left of source and target before it is used.
    private static bool TryExpand(byte* read, byte* readEnd, byte* start, byte* end)
    {
        byte* written = start;
        while (read < readEnd)
        {
            uint head = *read++;
            if (head < LiteralsMax)
            {
                uint count = head + 1;
                if (count > readEnd - read || count > end - written) return false;
                // Most runs have room behind them: then the longest is copied, in one step.
                if (LiteralsMax <= readEnd - read && LiteralsMax <= end - written)
                    Unsafe.CopyBlockUnaligned(written, read, LiteralsMax);
                else
                    Unsafe.CopyBlockUnaligned(written, read, count);
                read += count;
                written += count;
                continue;
            }
            int length = (int)(head >> 5) + 2;
            if (length > ShortCopyMax)
            {
                if (read == readEnd) return false;
                length += *read++;
            }
            if (read == readEnd) return false;
            int distance = (int)((head & 31) << 8 | *read++) + 1;
            if (distance > written - start || length > end - written) return false;
            Copy(written, distance, length, end);
            written += length;
        }
        return written == end;
    }

    // Bytes that come again, again and again where there are fewer than wanted. In words where the room does
    // not end before the last of them; the words' first bytes must be behind those that they are copied from.
    // SAFETY: the distance leads back to bytes that were written, and the length is within the room.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Copy(byte* to, int distance, int length, byte* end)
    {
        byte* stop = to + length;
        if (end - stop >= sizeof(ulong))
        {
            if (distance < sizeof(ulong))
            {
                // A word of a short period; it also comes some periods, of a word at least, later.
                for (int index = 0; index < sizeof(ulong); index++) to[index] = *(to + index - distance);
                to += sizeof(ulong);
                distance *= (sizeof(ulong) + distance - 1) / distance;
            }
            for (; to < stop; to += sizeof(ulong)) *(ulong*)to = *(ulong*)(to - distance);
            return;
        }
        for (; to < stop; to++) *to = *(to - distance);
    }

    /// <summary>How many slots a block of this length uses.</summary>
    internal static int SlotCountFor(int length) => 1 << SlotBitsFor(length);

    private static int SlotBitsFor(int length) =>
        Math.Clamp(BitOperations.Log2((uint)length | 1) + 2, SlotBitsMin, SlotBitsMax);

    // SAFETY: all reads lie in the source: `at` is at most four bytes before its end, and a distance leads
    // back to a position that this call has noted. All writes are within the room that is checked first.
    private static int Compress(Positions known, ReadOnlySpan<byte> source, Span<byte> target)
    {
        fixed (byte* start = source)
        fixed (byte* output = target)
        {
            byte* end = start + source.Length;
            byte* literals = start;
            var writer = new Writer(output, output + target.Length);
            // The last position of which four bytes can be read; shorter blocks have none.
            byte* last = source.Length < sizeof(uint) ? null : end - sizeof(uint);
            for (byte* at = start; at <= last && last != null;)
            {
                uint distance = known.Exchange(at, (uint)(at - start));
                bool isEqual = distance <= DistanceMax
                    && ((*(uint*)(at - distance) ^ *(uint*)at) << 8) == 0;
                if (!isEqual)
                {
                    at++;
                    continue;
                }

                int length = CommonLength(at, distance, end);
                if (!writer.TryWriteLiterals(literals, at) || !writer.TryWriteCopy(distance - 1, length))
                    return 0;
                literals = at + length;
                if (at < last)
                    known.Exchange(at + 1, (uint)(at + 1 - start));
                for (at = literals - KnownOfCopy; at < literals && at <= last; at++)
                    known.Exchange(at, (uint)(at - start));
                at = literals;
            }

            return writer.TryWriteLiterals(literals, end) ? (int)(writer.Output - output) : 0;
        }
    }

    // Three bytes are known to be equal.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CommonLength(byte* at, uint distance, byte* end)
    {
        int lengthMax = (int)Math.Min(CopyMax, end - at);
        int length = CopyMin;
        for (; length + sizeof(ulong) <= lengthMax; length += sizeof(ulong))
        {
            ulong difference = *(ulong*)(at + length) ^ *(ulong*)(at + length - distance);
            if (difference != 0)
                return length + (BitOperations.TrailingZeroCount(difference) >> 3);
        }

        while (length < lengthMax && at[length] == *(at + length - distance))
            length++;
        return length;
    }

    /// <summary>Where three bytes were last, by their hash: as an origin plus the position. What an earlier
    /// block has left lies more than <see cref="DistanceMax"/> before the origin.</summary>
    private readonly struct Positions(uint* slots, int bits, uint origin)
    {
        private readonly uint* _slots = slots;
        private readonly int _shift = 32 - bits;
        private readonly uint _origin = origin;

        /// <summary>How far back the bytes at a position were last, if that is no more than
        /// <see cref="DistanceMax"/>; from now on they were here.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal uint Exchange(byte* at, uint position)
        {
            uint* slot = _slots + ((*(uint*)at << 8) * HashFactor >> _shift);
            uint here = _origin + position;
            uint distance = here - *slot;
            *slot = here;
            return distance;
        }
    }

    private ref struct Writer(byte* output, byte* end)
    {
        private readonly byte* _end = end;

        internal byte* Output = output;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal bool TryWriteLiterals(byte* from, byte* to)
        {
            nint left = (nint)(to - from);
            if (left + (left + LiteralsMax - 1) / LiteralsMax > _end - Output)
                return false;
            while (left > 0)
            {
                int count = (int)Math.Min(left, LiteralsMax);
                *Output++ = (byte)(count - 1);
                Unsafe.CopyBlockUnaligned(Output, from, (uint)count);
                Output += count;
                from += count;
                left -= count;
            }

            return true;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal bool TryWriteCopy(uint offset, int length)
        {
            Debug.Assert(length is >= CopyMin and <= CopyMax && offset < DistanceMax, "no such copy");
            bool isShort = length <= ShortCopyMax;
            if ((isShort ? 2 : 3) > _end - Output)
                return false;
            *Output++ = (byte)((isShort ? length - 2 : 7) << 5 | (int)(offset >> 8));
            if (!isShort)
                *Output++ = (byte)(length - ShortCopyMax - 1);
            *Output++ = (byte)offset;
            return true;
        }
    }
}
