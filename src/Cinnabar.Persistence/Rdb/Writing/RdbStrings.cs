// Strings in a dump, as Redis writes them:
//
//   integers of up to 32 bits       C0 int8 | C1 int16 | C2 int32
//   compressed                      C3 | compressed length | length | LZF
//   as they are                     length | bytes
//
// A text of up to 11 bytes that is the canonical form of such an integer is written as one. A string of more
// than 20 bytes is compressed where that saves four bytes at least.
//
// A string up to 64 KiB is compressed straight into the output. How many bytes the compressed length takes is
// known afterwards only: room is left for the most that it can be, and the block moves down where it is less.
// A longer one is compressed in pieces of at most 64 KiB, one after the other: pieces of LZF may follow one
// another, so together they are the string. Their sum must be known before the first byte is written, so a
// string is compressed twice where the pieces do not fit into a scratch buffer of 256 KiB: memory stays
// bounded, whatever the string's length.

using System.Buffers.Binary;
using Cinnabar.Resp;
using Cinnabar.Structures.Compression;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Writes strings into an <see cref="RdbOutput"/>.</summary>
// SAFETY: what is written at a pointer lies within the room that was reserved just before.
internal static unsafe class RdbStrings
{
    private const byte Integer8 = 0xC0;
    private const byte Integer16 = 0xC1;
    private const byte Integer32 = 0xC2;
    private const byte Compressed = 0xC3;
    private const int IntegerTextMax = 11;
    private const int IntegerSizeMax = 5;
    private const int CompressedMin = 21;
    private const int SavedMin = 4;
    private const int HeadMax = 1 + 5 + 5;

    /// <summary>Writes a string.</summary>
    internal static void WriteString(this RdbOutput output, ReadOnlySpan<byte> text)
    {
        if (text.Length > LongText.PieceMax)
        {
            WriteLong(output, new LongText(text));
            return;
        }

        if (text.Length <= IntegerTextMax && RedisNumber.TryParseInt64(text, out long integer)
            && integer == (int)integer)
        {
            WriteInteger32(output, (int)integer);
            return;
        }

        byte* place = output.Reserve(HeadMax + text.Length);
        if (text.Length >= CompressedMin && output.Compressor is { } table
            && TryCompress(table, text, place, out int size))
        {
            output.Advance(size);
            return;
        }

        byte* bytes = RdbOutput.WriteLength(place, (uint)text.Length);
        text.CopyTo(new Span<byte>(bytes, text.Length));
        output.Advance((int)(bytes - place) + text.Length);
    }

    /// <summary>Writes the text of an integer.</summary>
    internal static void WriteInteger(this RdbOutput output, long value)
    {
        if (value == (int)value)
        {
            WriteInteger32(output, (int)value);
            return;
        }

        byte* place = output.Reserve(1 + RedisNumber.Int64BytesMax);
        int length = RedisNumber.FormatInt64(value, new Span<byte>(place + 1, RedisNumber.Int64BytesMax));
        *place = (byte)length;
        output.Advance(1 + length);
    }

    /// <summary>Writes a string value.</summary>
    internal static void WriteStringOf(this RdbOutput output, EntryView entry)
    {
        switch (entry.Encoding)
        {
            case KeyEncoding.Int:
                output.WriteInteger(entry.Integer);
                break;
            case KeyEncoding.Blocks:
                WriteLong(output, new LongText(entry.BlockString));
                break;
            default:
                output.WriteString(entry.InlineBytes);
                break;
        }
    }

    /// <summary>Writes a string that is compressed already.</summary>
    internal static void WriteCompressed(this RdbOutput output, ReadOnlySpan<byte> lzf, int length)
    {
        output.WriteByte(Compressed);
        output.WriteLength((uint)lzf.Length);
        output.WriteLength((uint)length);
        output.WriteBytes(lzf);
    }

    private static void WriteInteger32(RdbOutput output, int value)
    {
        byte* place = output.Reserve(IntegerSizeMax);
        switch (value)
        {
            case >= sbyte.MinValue and <= sbyte.MaxValue:
                *place = Integer8;
                place[1] = (byte)value;
                output.Advance(1 + sizeof(sbyte));
                break;
            case >= short.MinValue and <= short.MaxValue:
                *place = Integer16;
                var half = new Span<byte>(place + 1, sizeof(short));
                BinaryPrimitives.WriteInt16LittleEndian(half, (short)value);
                output.Advance(1 + sizeof(short));
                break;
            default:
                *place = Integer32;
                BinaryPrimitives.WriteInt32LittleEndian(new Span<byte>(place + 1, sizeof(int)), value);
                output.Advance(1 + sizeof(int));
                break;
        }
    }

    private static bool TryCompress(LzfTable table, ReadOnlySpan<byte> text, byte* place, out int size)
    {
        int head = 1 + (2 * RdbOutput.SizeOfLength((uint)text.Length));
        int room = text.Length - SavedMin;
        int compressed = Lzf.Compress(table, text, new Span<byte>(place + head, room));
        size = 0;
        if (compressed == 0)
            return false;
        *place = Compressed;
        byte* bytes = RdbOutput.WriteLength(place + 1, (uint)compressed);
        int gap = RdbOutput.SizeOfLength((uint)text.Length) - (int)(bytes - place - 1);
        if (gap != 0)
            Buffer.MemoryCopy(place + head, place + head - gap, compressed, compressed);
        RdbOutput.WriteLength(bytes, (uint)text.Length);
        size = head - gap + compressed;
        return true;
    }

    private static void WriteLong(RdbOutput output, LongText text)
    {
        if (output.Compressor is { } table && text.Length is >= CompressedMin and <= uint.MaxValue
            && TryWriteCompressed(output, table, text))
            return;
        output.WriteLength((ulong)text.Length);
        for (long offset = 0; offset < text.Length;)
        {
            ReadOnlySpan<byte> piece = text.PieceAt(offset);
            output.WriteBytes(piece);
            offset += piece.Length;
        }
    }

    private static bool TryWriteCompressed(RdbOutput output, LzfTable table, LongText text)
    {
        byte* scratch = output.Scratch;
        long sum = 0;
        bool isKept = true;
        for (long offset = 0; offset < text.Length;)
        {
            ReadOnlySpan<byte> piece = text.PieceAt(offset);
            isKept = isKept && sum + LzfSizeMax(piece.Length) <= RdbOutput.ScratchSize;
            sum += Compress(table, piece, scratch + (isKept ? sum : 0));
            if (sum > text.Length - SavedMin)
                return false;
            offset += piece.Length;
        }

        output.WriteByte(Compressed);
        output.WriteLength((ulong)sum);
        output.WriteLength((ulong)text.Length);
        if (isKept)
            output.WriteBytes(new ReadOnlySpan<byte>(scratch, (int)sum));
        else
            CompressAgain(output, table, text, sum);
        return true;
    }

    private static void CompressAgain(RdbOutput output, LzfTable table, LongText text, long sum)
    {
        for (long offset = 0; offset < text.Length;)
        {
            ReadOnlySpan<byte> piece = text.PieceAt(offset);
            int size = Compress(table, piece, output.Reserve(LzfSizeMax(piece.Length)));
            output.Advance(size);
            sum -= size;
            offset += piece.Length;
        }

        if (sum != 0)
            throw new InvalidOperationException("A string was compressed to two different sizes.");
    }

    private static int Compress(LzfTable table, ReadOnlySpan<byte> piece, byte* target) =>
        Lzf.Compress(table, piece, new Span<byte>(target, LzfSizeMax(piece.Length)));

    private static int LzfSizeMax(int length) => length + (length / Lzf.LiteralsMax) + 1;
}
