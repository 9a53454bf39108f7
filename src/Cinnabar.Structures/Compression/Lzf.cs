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
// last, and takes the match there at once: it does not search for a longer one. It looks into no chain and no
// table that outlives it, so it needs 32 KiB on the stack and about a nanosecond a byte.
//
// The size of the original is not in the block: the user stores it beside the block. Source: the format of
// Marc Lehmann's LibLZF, as its documentation describes it.

namespace Cinnabar.Structures.Compression;

/// <summary>Compresses and expands blocks.</summary>
public static class Lzf
{
    private const int HashBits = 13;
    private const int HashFactor = unchecked((int)2654435761);
    private const int LiteralsMax = 32;
    private const int DistanceMax = 1 << 13;
    private const int CopyMin = 3;
    private const int CopyMax = 264;
    private const int ShortCopyMax = 8;

    /// <summary>Compresses a block.</summary>
    /// <param name="source">The block.</param>
    /// <param name="target">Where it goes; must not overlap.</param>
    /// <returns>How many bytes were written, or 0 if they would have been more than there is room.</returns>
    public static int Compress(ReadOnlySpan<byte> source, Span<byte> target)
    {
        // Positions of three bytes by their hash, plus 1.
        Span<int> known = stackalloc int[1 << HashBits];
        known.Clear();
        int written = 0;
        int literalStart = 0;
        int position = 0;
        while (position + CopyMin <= source.Length)
        {
            int candidate = Exchange(known, source, position);
            int distance = position - candidate;
            bool isEqual = candidate >= 0 && distance <= DistanceMax
                && source.Slice(candidate, CopyMin).SequenceEqual(source.Slice(position, CopyMin));
            if (!isEqual)
            {
                position++;
                continue;
            }
            int lengthMax = Math.Min(CopyMax, source.Length - position);
            int length = source.Slice(position, lengthMax)
                .CommonPrefixLength(source.Slice(candidate, lengthMax));
            if (!TryWriteLiterals(source[literalStart..position], target, ref written)
                || !TryWriteCopy(distance - 1, length, target, ref written))
                return 0;
            // What lies within the copy is known to those that come, too.
            int end = position + length;
            for (position++; position < end && position + CopyMin <= source.Length; position++)
                Exchange(known, source, position);
            literalStart = position = end;
        }
        return TryWriteLiterals(source[literalStart..], target, ref written) ? written : 0;
    }

    /// <summary>Expands a block.</summary>
    /// <param name="source">What <see cref="Compress"/>, or another implementation, has written.</param>
    /// <param name="target">Where it goes: just as large as what was compressed.</param>
    /// <returns>False where the block is corrupt, or is not of this size.</returns>
    public static bool TryExpand(ReadOnlySpan<byte> source, Span<byte> target)
    {
        int read = 0;
        int written = 0;
        while (read < source.Length)
        {
            int head = source[read++];
            if (head < LiteralsMax)
            {
                int count = head + 1;
                if (count > source.Length - read || count > target.Length - written) return false;
                source.Slice(read, count).CopyTo(target[written..]);
                read += count;
                written += count;
                continue;
            }
            int length = (head >> 5) + 2;
            if (length > ShortCopyMax)
            {
                if (read == source.Length) return false;
                length += source[read++];
            }
            if (read == source.Length) return false;
            int from = written - ((head & 31) << 8 | source[read++]) - 1;
            if (from < 0 || length > target.Length - written) return false;
            // Byte by byte, for it may copy what it has just written.
            for (int end = written + length; written < end; written++, from++) target[written] = target[from];
        }
        return written == target.Length;
    }

    // Where the three bytes at a position were last, or −1; from now on they were here.
    private static int Exchange(Span<int> known, ReadOnlySpan<byte> source, int position)
    {
        int bytes = source[position] | source[position + 1] << 8 | source[position + 2] << 16;
        ref int place = ref known[(int)((uint)(bytes * HashFactor) >> (32 - HashBits))];
        int last = place - 1;
        place = position + 1;
        return last;
    }

    private static bool TryWriteLiterals(ReadOnlySpan<byte> literals, Span<byte> target, ref int written)
    {
        while (!literals.IsEmpty)
        {
            int count = Math.Min(literals.Length, LiteralsMax);
            if (1 + count > target.Length - written) return false;
            target[written++] = (byte)(count - 1);
            literals[..count].CopyTo(target[written..]);
            written += count;
            literals = literals[count..];
        }
        return true;
    }

    private static bool TryWriteCopy(int offset, int length, Span<byte> target, ref int written)
    {
        Debug.Assert(length is >= CopyMin and <= CopyMax && offset < DistanceMax);
        bool isShort = length <= ShortCopyMax;
        if ((isShort ? 2 : 3) > target.Length - written) return false;
        target[written++] = (byte)((isShort ? length - 2 : 7) << 5 | offset >> 8);
        if (!isShort) target[written++] = (byte)(length - ShortCopyMax - 1);
        target[written++] = (byte)offset;
        return true;
    }
}
