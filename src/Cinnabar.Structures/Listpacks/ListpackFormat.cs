// How an entry's bytes are read and written; the picture is in Listpack.
//
// Sizes, and only sizes, are what a walk needs, so they come from a table. The table has 0 where the first
// byte is not enough: texts of 64 bytes and more, and the terminator, at which a walk stops.

namespace Cinnabar.Structures.Listpacks;

/// <summary>Entries of a listpack as bytes.</summary>
internal static unsafe class ListpackFormat
{
    internal const byte Text6 = 0x80;
    internal const byte Integer13 = 0xC0;
    internal const byte Text12 = 0xE0;
    internal const byte Text32 = 0xF0;
    internal const byte Integer16 = 0xF1;
    internal const byte Integer24 = 0xF2;
    internal const byte Integer32 = 0xF3;
    internal const byte Integer64 = 0xF4;

    /// <summary>The longest text whose length is in the first byte.</summary>
    internal const int Text6LengthMax = 63;

    private const int Text12LengthMax = 4095;

    // By an entry's first byte: its size, with the back length; 0 where that needs a second look.
    private static ReadOnlySpan<byte> SizeByFirstByte =>
    [
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
        2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41,
        42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65,
        3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
        3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 4, 5, 6, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];

    /// <summary>The entry after one; the terminator stays where it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Skip(byte* entry)
    {
        // SAFETY: the table has 256 bytes; the entry is one of a sound listpack, or its terminator.
        nuint size = Unsafe.Add(ref MemoryMarshal.GetReference(SizeByFirstByte), (nint)(*entry));
        return size != 0 ? entry + size : SkipLong(entry);
    }

    /// <summary>Bytes of an entry, with its back length of one byte; 0: that needs a second look.</summary>
    internal static int SizeOf(byte first) => SizeByFirstByte[first];

    /// <summary>The entry before a position behind the first one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* SkipBack(byte* position)
    {
        byte* last = position - 1;
        nint size = *last;
        return size <= 0x7F ? last - size : SkipBackLong(last);
    }

    /// <summary>Bytes of an entry before its back length; 0 for what begins no entry.</summary>
    /// <remarks>Reads up to <see cref="PrefixSize"/> bytes.</remarks>
    internal static long SizeWithoutBackLength(byte* entry)
    {
        uint first = *entry;
        return first switch
        {
            < Text6 => 1,
            < Integer13 => 1 + (first & 0x3F),
            < Text12 => 2,
            < Text32 => 2 + ((first & 0xF) << 8 | entry[1]),
            Text32 => 5 + (long)*(uint*)(entry + 1),
            Integer16 => 3,
            Integer24 => 4,
            Integer32 => 5,
            Integer64 => 9,
            _ => 0,
        };
    }

    /// <summary>Bytes that hold an entry's size, the first one included.</summary>
    internal static int PrefixSize(byte first) => first switch
    {
        < Text12 => 1,
        < Text32 => 2,
        Text32 => 5,
        _ => 1,
    };

    /// <summary>Bytes of a back length.</summary>
    internal static int BackLengthSize(long size) => size switch
    {
        <= 127 => 1,
        < (1 << 14) - 1 => 2,
        < (1 << 21) - 1 => 3,
        < (1 << 28) - 1 => 4,
        _ => 5,
    };

    /// <summary>Writes a back length; returns its end.</summary>
    internal static byte* WriteBackLength(byte* output, long size)
    {
        int count = BackLengthSize(size);
        for (int index = count - 1; index >= 0; index--)
        {
            output[index] = (byte)((byte)size & 0x7F | (index > 0 ? 0x80 : 0));
            size >>= 7;
        }
        return output + count;
    }

    /// <summary>Whether an entry is an integer, not a text.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsInteger(byte first) =>
        first < Text6 || (first & 0xE0) == Integer13 || first >= Integer16;

    /// <summary>The value of an entry that is an integer.</summary>
    internal static long ReadInteger(byte* entry)
    {
        uint first = *entry;
        return first switch
        {
            < Text6 => first,
            < Text12 => (int)((first << 8 | entry[1]) << 19) >> 19,
            Integer16 => *(short*)(entry + 1),
            Integer24 => (sbyte)entry[3] * (1 << 16) + *(ushort*)(entry + 1),
            Integer32 => *(int*)(entry + 1),
            _ => *(long*)(entry + 1),
        };
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> ReadText(byte* entry)
    {
        uint first = *entry;
        return first < Integer13
            ? new ReadOnlySpan<byte>(entry + 1, (int)(first & 0x3F))
            : ReadLongText(entry);
    }

    /// <summary>Bytes of an integer as an entry, without the back length.</summary>
    internal static int IntegerSize(long value) => value switch
    {
        >= 0 and <= 127 => 1,
        >= -4096 and <= 4095 => 2,
        >= short.MinValue and <= short.MaxValue => 3,
        >= -(1 << 23) and < 1 << 23 => 4,
        >= int.MinValue and <= int.MaxValue => 5,
        _ => 9,
    };

    /// <summary>Bytes of a text as an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long EntrySize(int textLength) =>
        textLength <= Text6LengthMax ? textLength + 2 : LongEntrySize(textLength);

    /// <summary>Writes an integer that takes a given number of bytes, back length included.</summary>
    internal static void WriteInteger(byte* entry, long value, int size)
    {
        // SAFETY: the caller has room for IntegerSize bytes and one more; 24 bits are written one by one.
        switch (size)
        {
            case 1:
                *entry = (byte)value;
                break;
            case 2:
                *entry = (byte)(Integer13 | (value >> 8 & 0x1F));
                entry[1] = (byte)value;
                break;
            case 3:
                *entry = Integer16;
                *(short*)(entry + 1) = (short)value;
                break;
            case 4:
                *entry = Integer24;
                *(short*)(entry + 1) = (short)value;
                entry[3] = (byte)(value >> 16);
                break;
            case 5:
                *entry = Integer32;
                *(int*)(entry + 1) = (int)value;
                break;
            default:
                *entry = Integer64;
                *(long*)(entry + 1) = value;
                break;
        }
        entry[size] = (byte)size;
    }

    /// <summary>Writes a text with its back length.</summary>
    internal static void WriteText(byte* entry, ReadOnlySpan<byte> text)
    {
        // SAFETY: the caller has room for EntrySize bytes.
        int length = text.Length;
        if (length > Text6LengthMax)
        {
            WriteLongText(entry, text);
            return;
        }
        *entry = (byte)(Text6 | length);
        text.CopyTo(new Span<byte>(entry + 1, length));
        entry[1 + length] = (byte)(1 + length);
    }

    private static ReadOnlySpan<byte> ReadLongText(byte* entry) => *entry < Text32
        ? new ReadOnlySpan<byte>(entry + 2, (*entry & 0xF) << 8 | entry[1])
        : new ReadOnlySpan<byte>(entry + 5, *(int*)(entry + 1));

    private static long LongEntrySize(int textLength)
    {
        long size = (long)textLength + (textLength <= Text12LengthMax ? 2 : 5);
        return size + BackLengthSize(size);
    }

    private static void WriteLongText(byte* entry, ReadOnlySpan<byte> text)
    {
        byte* output = entry;
        int length = text.Length;
        if (length <= Text12LengthMax)
        {
            *output++ = (byte)(Text12 | length >> 8);
            *output++ = (byte)length;
        }
        else
        {
            *output++ = Text32;
            *(int*)output = length;
            output += 4;
        }
        text.CopyTo(new Span<byte>(output, length));
        WriteBackLength(output + length, output + length - entry);
    }

    // SAFETY: the bytes of a back length lie in front of each other, the first one below 0x80.
    private static byte* SkipBackLong(byte* last)
    {
        long size = *last & 0x7F;
        for (int shift = 7; *last > 0x7F; shift += 7) size |= (long)(*--last & 0x7F) << shift;
        return last - size;
    }

    private static byte* SkipLong(byte* entry)
    {
        long size = SizeWithoutBackLength(entry);
        return size == 0 ? entry : entry + size + BackLengthSize(size);
    }
}
