// Reads the elements of the format from contiguous bytes, one after the other.
//
//   length   00llllll                        0 to 63
//            01llllll llllllll               to 16,383
//            10000000 and 4 bytes            big-endian
//            10000001 and 8 bytes            big-endian
//   string   length, bytes
//            11000000 i8 | 11000001 i16 | 11000010 i32     little-endian, the string is its digits
//            11000011 length, length, bytes                LZF: its size, the string's size
//   double   255 -inf | 254 +inf | 253 NaN | n and n digits        (type 3)
//            8 bytes, little-endian                                (type 5, modules)
//   time     8 bytes, little-endian: Unix milliseconds
//
// Whatever does not fit throws, before anything of its size is allocated: a length is compared with the bytes
// that are there, and LZF cannot expand to more than 88 times its size.

using System.Buffers.Binary;
using Cinnabar.Resp;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>A place in bytes of the format. A mutable struct: always by reference.</summary>
/// <param name="bytes">From here on.</param>
/// <param name="offset">The offset in the file of the first byte.</param>
public ref struct RdbCursor(ReadOnlySpan<byte> bytes, long offset = 0)
{
    private const byte Length32 = 0x80;
    private const byte Length64 = 0x81;
    private const byte NegativeInfinity = 255;
    private const byte PositiveInfinity = 254;
    private const byte NotANumber = 253;

    private readonly ReadOnlySpan<byte> _bytes = bytes;
    private readonly long _start = offset;

    /// <summary>Bytes read.</summary>
    public int Position { get; set; }

    /// <summary>The offset in the file of the next byte.</summary>
    public readonly long Offset => _start + Position;

    /// <summary>Bytes that are left.</summary>
    public readonly int Left => _bytes.Length - Position;

    /// <summary>What was read since a position.</summary>
    public readonly ReadOnlySpan<byte> Since(int position) => _bytes[position..Position];

    /// <summary>Reads a byte.</summary>
    public byte ReadByte()
    {
        if (Position == _bytes.Length)
            throw new RdbEndException(Offset, 1);
        return _bytes[Position++];
    }

    /// <summary>Reads as many bytes.</summary>
    public ReadOnlySpan<byte> ReadBytes(ulong count)
    {
        if (count > (ulong)Left)
            throw new RdbEndException(Offset, (long)Math.Min(count - (ulong)Left, long.MaxValue));
        ReadOnlySpan<byte> read = _bytes.Slice(Position, (int)count);
        Position += (int)count;
        return read;
    }

    /// <summary>Reads a length.</summary>
    public ulong ReadLength()
    {
        long at = Offset;
        if (!TryReadLength(out ulong length))
            throw new RdbFormatException(at, "A length was expected, not an encoded string");
        return length;
    }

    /// <summary>Reads the number of elements that follow, each of at least some bytes.</summary>
    /// <exception cref="RdbEmptyValueException">The count is zero: no collection is empty.</exception>
    /// <exception cref="RdbEndException">There are not as many bytes.</exception>
    public long ReadCount(int elementBytesMin)
    {
        long at = Offset;
        ulong count = ReadLength();
        if (count == 0)
            throw new RdbEmptyValueException(at);
        RequireRoom(count, elementBytesMin);
        return (long)count;
    }

    /// <summary>As <see cref="ReadCount"/>, where zero is allowed.</summary>
    public long ReadCountOrZero(int elementBytesMin)
    {
        ulong count = ReadLength();
        RequireRoom(count, elementBytesMin);
        return (long)count;
    }

    /// <summary>Reads a string.</summary>
    public RdbString ReadString()
    {
        long at = Offset;
        if (TryReadLength(out ulong length))
        {
            // What Redis cannot hold is no reason to fetch more bytes.
            if (length > (ulong)RdbString.LengthMax)
                throw new RdbFormatException(at, "A string that is too long");
            return new RdbString(ReadBytes(length), at);
        }

        switch (length)
        {
            case 0:
                return new RdbString((sbyte)ReadByte());
            case 1:
                return new RdbString(BinaryPrimitives.ReadInt16LittleEndian(ReadBytes(sizeof(short))));
            case 2:
                return new RdbString(BinaryPrimitives.ReadInt32LittleEndian(ReadBytes(sizeof(int))));
            case 3:
                return ReadCompressed(at);
            default:
                throw new RdbFormatException(at, $"Unknown RDB string encoding type {length}");
        }
    }

    /// <summary>Reads past a string.</summary>
    public void SkipString() => ReadString();

    /// <summary>Reads a score as text.</summary>
    public double ReadTextDouble()
    {
        long at = Offset;
        byte length = ReadByte();
        switch (length)
        {
            case NegativeInfinity:
                return double.NegativeInfinity;
            case PositiveInfinity:
                return double.PositiveInfinity;
            case NotANumber:
                return double.NaN;
            default:
                if (!RedisNumber.TryParseDoubleLenient(ReadBytes(length), out double value))
                    throw new RdbFormatException(at, "A score that is no number");
                return value;
        }
    }

    /// <summary>Reads a double of eight bytes.</summary>
    public double ReadBinaryDouble() => BinaryPrimitives.ReadDoubleLittleEndian(ReadBytes(sizeof(double)));

    /// <summary>Reads Unix milliseconds, or another integer of eight bytes.</summary>
    public long ReadInt64() => BinaryPrimitives.ReadInt64LittleEndian(ReadBytes(sizeof(long)));

    /// <summary>Reads Unix seconds, or another integer of four bytes.</summary>
    public int ReadInt32() => BinaryPrimitives.ReadInt32LittleEndian(ReadBytes(sizeof(int)));

    private readonly void RequireRoom(ulong count, int elementBytesMin)
    {
        ulong fits = (ulong)(Left / elementBytesMin);
        if (count > fits)
        {
            ulong missing = Math.Min(count - fits, long.MaxValue / (ulong)elementBytesMin);
            throw new RdbEndException(Offset, (long)(missing * (ulong)elementBytesMin));
        }
    }

    // False: the six bits of an encoded string.
    private bool TryReadLength(out ulong length)
    {
        long at = Offset;
        byte first = ReadByte();
        length = first & 0x3FUL;
        switch (first >> 6)
        {
            case 0:
                return true;
            case 1:
                length = length << 8 | ReadByte();
                return true;
            case 2:
                length = first switch
                {
                    Length32 => BinaryPrimitives.ReadUInt32BigEndian(ReadBytes(sizeof(uint))),
                    Length64 => BinaryPrimitives.ReadUInt64BigEndian(ReadBytes(sizeof(ulong))),
                    _ => throw new RdbFormatException(at, $"Unknown length encoding {first}"),
                };
                return true;
            default:
                return false;
        }
    }

    private RdbString ReadCompressed(long at)
    {
        ulong size = ReadLength();
        ulong length = ReadLength();
        if (size == 0 || length == 0 || length > (ulong)RdbString.LengthMax
            || length / RdbString.ExpansionMax > size)
            throw new RdbFormatException(at, "Invalid LZF compressed string");
        return new RdbString(ReadBytes(size), (int)length, at);
    }
}
