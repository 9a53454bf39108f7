// Zipmap: small hashes up to Redis 2.4, and what dumps of that time hold. Only read here.
//
//   | pairs | length | field | length | free | value | free bytes | ... | 0xFF |
//
// The number of pairs is one byte, 254 and 255 mean "walk"; the number of free bytes is one byte, too. A
// length is one byte up to 253, or 254 and four bytes, little-endian; the longer form of a short length is
// damage, as in Redis.
using System.Buffers.Binary;

namespace Cinnabar.Structures.Ziplists;

/// <summary>Reads a zipmap that is checked as it is walked.</summary>
public ref struct Zipmap
{
    private const byte Terminator = 0xFF;
    private const byte LongLength = 0xFE;

    private readonly ReadOnlySpan<byte> _bytes;
    private int _position;
    private int _count;

    /// <param name="bytes">Any bytes.</param>
    public Zipmap(ReadOnlySpan<byte> bytes)
    {
        _bytes = bytes;
        _position = 1;
        IsSound = bytes.Length > 1 && bytes[^1] == Terminator;
    }

    /// <summary>Whether nothing was wrong so far; after the last pair: with the whole zipmap.</summary>
    public bool IsSound { get; private set; }

    /// <summary>The pair's field, after <see cref="MoveNext"/>.</summary>
    public ReadOnlySpan<byte> Field { get; private set; }

    /// <summary>The pair's value.</summary>
    public ReadOnlySpan<byte> Value { get; private set; }

    /// <summary>Goes to the next pair; false: there is none, or it is not sound.</summary>
    public bool MoveNext()
    {
        if (!IsSound)
            return false;
        if (_position == _bytes.Length - 1)
        {
            IsSound = _bytes[0] >= LongLength || _bytes[0] == _count;
            return false;
        }

        IsSound = TryReadPair();
        _count++;
        return IsSound;
    }

    private bool TryReadPair()
    {
        if (!TryReadLength(out int fieldLength) || fieldLength > Left)
            return false;
        Field = Take(fieldLength);
        if (!TryReadLength(out int valueLength) || Left == 0)
            return false;
        int free = Take(1)[0];
        if ((long)valueLength + free > Left)
            return false;
        Value = Take(valueLength);
        Take(free);
        return true;
    }

    // Bytes before the terminator.
    private readonly int Left => _bytes.Length - 1 - _position;

    private ReadOnlySpan<byte> Take(int count)
    {
        ReadOnlySpan<byte> taken = _bytes.Slice(_position, count);
        _position += count;
        return taken;
    }

    private bool TryReadLength(out int length)
    {
        length = 0;
        if (Left == 0)
            return false;
        length = Take(1)[0];
        if (length < LongLength)
            return true;
        if (length != LongLength || Left < sizeof(uint))
            return false;
        length = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(Take(sizeof(uint))), int.MaxValue);
        return length >= LongLength;
    }
}
