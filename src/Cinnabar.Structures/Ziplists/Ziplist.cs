// Ziplist: what Redis used before listpacks (until 6.2), and what old dumps hold. Only read here.
//
//      0            4            8        10
//      +------------+------------+--------+-------+-------+- - - -+-------+------+
//      | bytes      | offset of  | count  | entry | entry |       | entry | 0xFF |
//      |            | the last   |        |       |       |       |       |      |
//      +------------+------------+--------+-------+-------+- - - -+-------+------+
//
// All little-endian; a count of 65,535 means "walk". An entry is
//
//   | bytes of the entry before: 1 byte, or 0xFE and 4 | encoding | data |
//
//   00llllll              text of up to 63 bytes        1100 0000   integer of 2 bytes
//   01llllll llllllll     up to 16,383                  1101 0000   4 bytes
//   10000000 and 4 bytes  big-endian                    1110 0000   8 bytes
//                                                       1111 0000   3 bytes
//                                                       1111 1110   1 byte
//                                                       1111 vvvv   0 to 12: v - 1, v from 1 to 13
//
// What comes from outside is walked once with every step checked: bytes, the offset of the last entry, each
// entry's size of the one before, and the count. Source: the format's description in Redis's documentation
// of RDB files.
using System.Buffers.Binary;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Structures.Ziplists;

/// <summary>Reads a ziplist that is checked as it is walked.</summary>
public ref struct Ziplist
{
    private const int HeaderSize = 10;
    private const int CountOffset = 8;
    private const byte Terminator = 0xFF;
    private const byte LongPrevious = 0xFE;
    private const int UnknownCount = ushort.MaxValue;

    private readonly ReadOnlySpan<byte> _bytes;
    private int _position;
    private int _lastSize;
    private int _count;

    /// <param name="bytes">Any bytes.</param>
    public Ziplist(ReadOnlySpan<byte> bytes)
    {
        _bytes = bytes;
        _position = HeaderSize;
        IsSound = bytes.Length > HeaderSize && BinaryPrimitives.ReadUInt32LittleEndian(bytes) == bytes.Length
            && bytes[^1] == Terminator;
    }

    /// <summary>Whether nothing was wrong so far; after the last entry: with the whole ziplist.</summary>
    public bool IsSound { get; private set; }

    /// <summary>How many entries there are as the header has it; 65,535: unknown.</summary>
    public readonly int HeaderCount =>
        IsSound ? BinaryPrimitives.ReadUInt16LittleEndian(_bytes[CountOffset..]) : 0;

    /// <summary>The entry, after <see cref="MoveNext"/>.</summary>
    public ListpackValue Current { get; private set; }

    /// <summary>Goes to the next entry; false: there is none, or it is not sound.</summary>
    public bool MoveNext()
    {
        if (!IsSound)
            return false;
        ReadOnlySpan<byte> left = _bytes[_position..^1];
        if (left.IsEmpty)
        {
            IsSound = HasSoundEnd();
            return false;
        }

        int size = TryReadPrevious(left, out int previousSize) && previousSize == _lastSize
            ? ReadEntry(left, left[0] == LongPrevious ? 1 + sizeof(uint) : 1)
            : 0;
        IsSound = size > 0;
        _position += size;
        _lastSize = size;
        _count++;
        return IsSound;
    }

    private readonly bool HasSoundEnd()
    {
        int headerCount = HeaderCount;
        uint tail = BinaryPrimitives.ReadUInt32LittleEndian(_bytes[sizeof(uint)..]);
        return tail == _position - _lastSize && (headerCount == _count || headerCount == UnknownCount);
    }

    private static bool TryReadPrevious(ReadOnlySpan<byte> entry, out int size)
    {
        size = entry[0];
        if (size != LongPrevious)
            return size < LongPrevious;
        if (entry.Length < 1 + sizeof(uint))
            return false;
        uint value = BinaryPrimitives.ReadUInt32LittleEndian(entry[1..]);
        size = (int)Math.Min(value, int.MaxValue);
        return true;
    }

    // Bytes of the entry whose encoding is at a place; 0: it is not within what is left.
    private int ReadEntry(ReadOnlySpan<byte> entry, int at)
    {
        if (at >= entry.Length)
            return 0;
        byte encoding = entry[at];
        return encoding >= 0xC0 ? ReadInteger(entry, at) : ReadText(entry, at);
    }

    private int ReadText(ReadOnlySpan<byte> entry, int at)
    {
        ReadOnlySpan<byte> head = entry[at..];
        int headSize = (head[0] >> 6) switch { 0 => 1, 1 => 2, _ => 1 + sizeof(uint) };
        if (head.Length < headSize)
            return 0;
        long length = headSize switch
        {
            1 => head[0] & 0x3F,
            2 => (head[0] & 0x3F) << 8 | head[1],
            _ => BinaryPrimitives.ReadUInt32BigEndian(head[1..]),
        };
        if (length > head.Length - headSize)
            return 0;
        Current = new ListpackValue(head.Slice(headSize, (int)length));
        return at + headSize + (int)length;
    }

    private int ReadInteger(ReadOnlySpan<byte> entry, int at)
    {
        byte encoding = entry[at];
        ReadOnlySpan<byte> data = entry[(at + 1)..];
        int size = encoding switch { 0xC0 => 2, 0xD0 => 4, 0xE0 => 8, 0xF0 => 3, 0xFE => 1, _ => 0 };
        if (data.Length < size || (size == 0 && encoding is < 0xF1 or > 0xFD))
            return 0;
        Current = new ListpackValue(size switch
        {
            0 => (encoding & 15) - 1,
            1 => (sbyte)data[0],
            2 => BinaryPrimitives.ReadInt16LittleEndian(data),
            3 => (data[0] << 8 | data[1] << 16 | data[2] << 24) >> 8,
            4 => BinaryPrimitives.ReadInt32LittleEndian(data),
            _ => BinaryPrimitives.ReadInt64LittleEndian(data),
        });
        return at + 1 + size;
    }
}
