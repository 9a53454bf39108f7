// What comes from outside (RESTORE, an RDB file, a master) is walked once here, with every step checked, so
// that nothing else has to. A listpack passes only if any walk over it, in both directions, stays inside of
// its bytes and ends where it should.
//
// What Redis would not have written is let through where no walk can be hurt by it and Redis lets it through
// too: an integer in more bytes than it needs, or as a text; a text with a longer length than it needs.
//
// Duplicates are looked for with a table of hashes under the process's random seed (HashCode), so that a
// payload cannot be prepared to take quadratic time. This is a cold path: it allocates.

namespace Cinnabar.Structures.Listpacks;

/// <summary>Checks listpacks that come from outside.</summary>
public static unsafe class ListpackValidator
{
    /// <summary>Whether the bytes are a sound listpack and nothing else.</summary>
    /// <param name="bytes">Any bytes.</param>
    /// <param name="stride">What the number of entries must be a multiple of: 2 for fields and
    /// values.</param>
    public static bool IsSound(ReadOnlySpan<byte> bytes, int stride = 1)
    {
        if (bytes.Length < Listpack.EmptySize || MemoryMarshal.Read<uint>(bytes) != (uint)bytes.Length)
            return false;
        if (bytes[^1] != Listpack.Terminator) return false;
        fixed (byte* data = bytes)
        {
            byte* end = data + bytes.Length - 1;
            byte* entry = data + Listpack.HeaderSize;
            int count = 0;
            for (; entry < end; count++)
            {
                long size = SoundSize(entry, end);
                if (size == 0) return false;
                entry += size;
            }
            int headerCount = *(ushort*)(data + 4);
            return count % stride == 0 && (headerCount == count || headerCount == Listpack.UnknownCount);
        }
    }

    // The size of an entry that ends at or before the terminator and whose back length is right; 0: none.
    private static long SoundSize(byte* entry, byte* end)
    {
        // SAFETY: reads nothing at or behind the end: first the bytes that hold the size, then as many as it
        // says.
        long left = end - entry;
        int shortSize = ListpackFormat.SizeOf(*entry);
        if (shortSize != 0) return shortSize <= left && entry[shortSize - 1] == shortSize - 1 ? shortSize : 0;
        if (ListpackFormat.PrefixSize(*entry) > left) return 0;
        long size = ListpackFormat.SizeWithoutBackLength(entry);
        if (size == 0) return 0;
        int backSize = ListpackFormat.BackLengthSize(size);
        if (size + backSize > left) return 0;
        byte* expected = stackalloc byte[5];
        ListpackFormat.WriteBackLength(expected, size);
        var told = new ReadOnlySpan<byte>(entry + size, backSize);
        return told.SequenceEqual(new ReadOnlySpan<byte>(expected, backSize)) ? size + backSize : 0;
    }
}
