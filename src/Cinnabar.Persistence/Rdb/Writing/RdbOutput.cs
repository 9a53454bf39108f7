// The bytes of a dump on their way out: one native buffer that is filled from the front.
//
//   |<------ _used ------>|<----- room ----->|          a sink takes all that is used when there is no room;
//   | bytes of the dump   |                  |          without a sink the buffer grows (DUMP)
//
// A writer asks for room for a whole piece (Reserve), writes it through the pointer, and says how much it was
// (Advance): one check a piece, none a byte. The buffer is small enough to stay in the second-level cache, so
// that the CRC64, which is computed when the sink takes a block, reads what is there. Pieces larger than the
// buffer (a value of many megabytes) go to the sink directly (WriteBytes).

using System.Buffers.Binary;
using Cinnabar.Structures.Compression;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>A buffer of a dump: counts bytes, computes their CRC64, and hands blocks to a sink.</summary>
// SAFETY: _used is at most _capacity; pointers are used within the room that Reserve has made.
public sealed unsafe class RdbOutput : IDisposable
{
    /// <summary>Bytes of a block.</summary>
    public const int BlockSize = 128 << 10;

    /// <summary>Bytes of <see cref="Scratch"/>.</summary>
    internal const int ScratchSize = 256 << 10;

    private const int MemorySizeMin = 1 << 10;
    private const int LengthBytesMax = 9;
    private const int ShortLengthEnd = 1 << 6;
    private const int MiddleLengthEnd = 1 << 14;
    private const byte MiddleLength = 0x40;
    private const byte LongLength = 0x80;
    private const byte HugeLength = 0x81;

    private readonly IRdbSink? _sink;
    private readonly bool _isChecked;
    private byte* _buffer;
    private byte* _scratch;
    private int _capacity;
    private int _used;
    private long _flushed;
    private ulong _crc;

    /// <summary>Makes an output.</summary>
    /// <param name="sink">Takes the blocks; null: all stays in memory.</param>
    /// <param name="isCompressed">Whether strings of more than 20 bytes are compressed.</param>
    /// <param name="isChecked">Whether the CRC64 is computed.</param>
    public RdbOutput(IRdbSink? sink, bool isCompressed, bool isChecked)
    {
        _sink = sink;
        _isChecked = isChecked;
        _capacity = sink is null ? MemorySizeMin : BlockSize;
        _buffer = (byte*)NativeMemory.Alloc((nuint)_capacity);
        Compressor = isCompressed ? new LzfTable() : null;
    }

    /// <summary>Bytes written so far.</summary>
    public long Length => _flushed + _used;

    /// <summary>The CRC64 of all bytes written so far; 0 where none is computed.</summary>
    public ulong Checksum => _isChecked ? Crc64.Append(_crc, Held) : 0;

    /// <summary>The bytes, where there is no sink.</summary>
    public ReadOnlySpan<byte> Written
    {
        get
        {
            Debug.Assert(_sink is null, "a sink has taken the bytes");
            return Held;
        }
    }

    /// <summary>For compressing strings; null: they are written as they are.</summary>
    internal LzfTable? Compressor { get; }

    /// <summary>Memory for compressing long strings, made when the first one comes.</summary>
    internal byte* Scratch
    {
        get
        {
            if (_scratch == null)
                _scratch = (byte*)NativeMemory.Alloc(ScratchSize);
            return _scratch;
        }
    }

    private ReadOnlySpan<byte> Held => new(_buffer, _used);

    /// <summary>Forgets all bytes, to begin another dump in memory.</summary>
    public void Clear()
    {
        Debug.Assert(_sink is null, "a sink has taken bytes");
        _used = 0;
        _crc = 0;
    }

    /// <summary>Room for a piece, to be written at once and counted by <see cref="Advance"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Reserve(int size)
    {
        if (_capacity - _used < size)
            MakeRoom(size);
        return _buffer + _used;
    }

    /// <summary>Counts bytes that were written to where <see cref="Reserve"/> said.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Advance(int size)
    {
        Debug.Assert(size >= 0 && size <= _capacity - _used, "more was written than reserved");
        _used += size;
    }

    /// <summary>Writes one byte.</summary>
    public void WriteByte(byte value)
    {
        *Reserve(1) = value;
        Advance(1);
    }

    /// <summary>Writes bytes as they are.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length <= BlockSize || _sink is null)
        {
            bytes.CopyTo(new Span<byte>(Reserve(bytes.Length), bytes.Length));
            Advance(bytes.Length);
            return;
        }

        Flush();
        Hand(bytes);
    }

    /// <summary>Writes a length: 1, 2, 5 or 9 bytes.</summary>
    public void WriteLength(ulong length)
    {
        byte* place = Reserve(LengthBytesMax);
        Advance((int)(WriteLength(place, length) - place));
    }

    /// <summary>Writes eight bytes, the lowest first: a time in milliseconds, a checksum.</summary>
    public void WriteWord(ulong word)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(new Span<byte>(Reserve(sizeof(ulong)), sizeof(ulong)), word);
        Advance(sizeof(ulong));
    }

    /// <summary>Writes eight bytes, the highest first: half of a stream's ID.</summary>
    public void WriteWordBigEndian(ulong word)
    {
        BinaryPrimitives.WriteUInt64BigEndian(new Span<byte>(Reserve(sizeof(ulong)), sizeof(ulong)), word);
        Advance(sizeof(ulong));
    }

    /// <summary>Writes a score: eight bytes.</summary>
    public void WriteDouble(double value) => WriteWord(BitConverter.DoubleToUInt64Bits(value));

    /// <summary>Hands all bytes to the sink.</summary>
    public void Flush()
    {
        if (_used == 0 || _sink is null)
            return;
        ReadOnlySpan<byte> held = Held;
        _used = 0;
        Hand(held);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Compressor?.Dispose();
        NativeMemory.Free(_buffer);
        NativeMemory.Free(_scratch);
        _buffer = _scratch = null;
        _capacity = _used = 0;
    }

    /// <summary>Bytes that <see cref="WriteLength(byte*, ulong)"/> writes.</summary>
    internal static int SizeOfLength(ulong length) => length switch
    {
        < ShortLengthEnd => 1,
        < MiddleLengthEnd => 2,
        <= uint.MaxValue => 5,
        _ => LengthBytesMax,
    };

    /// <summary>Writes a length to where there are nine bytes of room; returns its end.</summary>
    internal static byte* WriteLength(byte* place, ulong length)
    {
        switch (length)
        {
            case < ShortLengthEnd:
                *place = (byte)length;
                return place + 1;
            case < MiddleLengthEnd:
                *place = (byte)(MiddleLength | (length >> 8));
                place[1] = (byte)length;
                return place + 2;
            case <= uint.MaxValue:
                *place = LongLength;
                Unsafe.WriteUnaligned(place + 1, BinaryPrimitives.ReverseEndianness((uint)length));
                return place + 5;
            default:
                *place = HugeLength;
                Unsafe.WriteUnaligned(place + 1, BinaryPrimitives.ReverseEndianness(length));
                return place + LengthBytesMax;
        }
    }

    private void Hand(ReadOnlySpan<byte> block)
    {
        if (_isChecked)
            _crc = Crc64.Append(_crc, block);
        _flushed += block.Length;
        _sink!.Write(block);
    }

    private void MakeRoom(int size)
    {
        Flush();
        long needed = (long)_used + size;
        if (needed <= _capacity)
            return;
        long capacity = Math.Max(needed, Math.Min(2L * _capacity, int.MaxValue));
        if (capacity > int.MaxValue)
            throw new OutOfMemoryException("a dump in memory of more than 2 GiB");
        _buffer = (byte*)NativeMemory.Realloc(_buffer, (nuint)capacity);
        _capacity = (int)capacity;
    }
}
