// Reads a file of commands, item by item. An item is whole in the buffer, which grows to the largest one: by
// no more than the file has bytes, whatever lengths stand in it.
//
//   *3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n     a command
//   #TS:1628217470\r\n                            an annotation

using Cinnabar.Resp;

namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>Reads the commands of a file.</summary>
public sealed unsafe class AofReader : IDisposable
{
    private const int BlockSize = 1 << 20;
    private const int LineLengthMax = 128;
    private const int AnnotationLengthMax = 1024;

    private readonly StoredFile _file;
    private readonly long _fileLength;
    private readonly ArgumentBuffer _arguments = new();
    private byte* _data;
    private long _capacity;
    private long _filled;

    // Where in the buffer the item begins, and how far it has been read.
    private long _item;
    private long _at;

    /// <summary>Reads from an offset on.</summary>
    /// <param name="file">The file, which stays the caller's.</param>
    /// <param name="offset">Where a command begins.</param>
    public AofReader(StoredFile file, long offset = 0)
    {
        _file = file;
        _fileLength = file.Length;
        Seek(offset);
    }

    /// <summary>The offset of the item.</summary>
    public long Offset { get; private set; }

    /// <summary>The offset behind the item.</summary>
    public long EndOffset => Offset + _at - _item;

    /// <summary>Of a command: its arguments, valid until the next <see cref="Read"/>.</summary>
    public ArgumentList Arguments => new(_arguments.Items, _arguments.Count);

    /// <summary>The bytes of the item as they stand in the file, where they are not more than a span
    /// holds.</summary>
    // SAFETY: the item lies in the buffer from its first byte.
    public ReadOnlySpan<byte> Text => new(_data + _item, (int)(_at - _item));

    /// <summary>Of an annotation: its Unix time in seconds; −1: it is another.</summary>
    public long Seconds { get; private set; }

    /// <summary>Goes on at another place, where an item begins.</summary>
    public void Seek(long offset)
    {
        Offset = offset;
        (_item, _at, _filled) = (0, 0, 0);
    }

    /// <summary>Reads the next item.</summary>
    public AofItem Read()
    {
        _arguments.Clear();
        Offset = EndOffset;
        _item = _at;
        if (!Has(1))
            return AofItem.End;
        if (_data[_at] == (byte)'#')
            return ReadAnnotation();
        AofItem problem = ReadNumber((byte)'*', out long count);
        if (problem != AofItem.Command)
            return problem;
        if (count is < 1 or > int.MaxValue)
            return AofItem.Malformed;
        for (long index = 0; index < count; index++)
        {
            problem = ReadArgument();
            if (problem != AofItem.Command)
                return problem;
        }

        Place();
        return AofItem.Command;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_data);
        _data = null;
        _arguments.Dispose();
    }

    private AofItem ReadArgument()
    {
        AofItem problem = ReadNumber((byte)'$', out long length);
        if (problem != AofItem.Command)
            return problem;
        if (length is < 0 or > int.MaxValue)
            return AofItem.Malformed;
        if (!Has(length + 2))
            return AofItem.Truncated;
        if (_data[_at + length] != (byte)'\r' || _data[_at + length + 1] != (byte)'\n')
            return AofItem.Malformed;
        // Its place in the item, which may still move.
        _arguments.Append((byte*)(_at - _item), (int)length, 0);
        _at += length + 2;
        return AofItem.Command;
    }

    private void Place()
    {
        // SAFETY: each argument has its place in the buffer, which stays where it is from now on.
        for (int index = 0; index < _arguments.Count; index++)
            _arguments.Items[index].Data = _data + _item + (long)_arguments.Items[index].Data;
    }

    private AofItem ReadAnnotation()
    {
        int length = LineLength(AnnotationLengthMax);
        if (length < 0)
            return Has(AnnotationLengthMax) ? AofItem.Malformed : AofItem.Truncated;
        var line = new ReadOnlySpan<byte>(_data + _item, length);
        Seconds = line.StartsWith("#TS:"u8) && RedisNumber.TryParseInt64(line[4..], out long seconds)
            ? seconds : -1;
        return AofItem.Annotation;
    }

    /// <summary>Reads a line of a mark and a number.</summary>
    private AofItem ReadNumber(byte mark, out long number)
    {
        number = 0;
        if (!Has(1))
            return AofItem.Truncated;
        if (_data[_at] != mark)
            return AofItem.Malformed;
        long start = _at - _item;
        int length = LineLength(LineLengthMax);
        if (length < 0)
            return Has(LineLengthMax) ? AofItem.Malformed : AofItem.Truncated;
        // SAFETY: the line is in the buffer, behind the start of the item.
        return RedisNumber.TryParseInt64(
            new ReadOnlySpan<byte>(_data + _item + start + 1, length - 1), out number)
            ? AofItem.Command : AofItem.Malformed;
    }

    /// <summary>Goes behind the line that begins here.</summary>
    /// <returns>Its length without its end; −1: there is no end within the most that it may have.</returns>
    private int LineLength(int lengthMax)
    {
        for (int count = 1; count <= lengthMax && Has(count); count++)
        {
            if (_data[_at + count - 1] != (byte)'\n')
                continue;
            int length = count > 1 && _data[_at + count - 2] == (byte)'\r' ? count - 2 : count - 1;
            _at += count;
            return length;
        }

        return -1;
    }

    /// <summary>Whether so many bytes follow; they are in the buffer then.</summary>
    private bool Has(long count)
    {
        if (_at + count <= _filled)
            return true;
        if (EndOffset + count > _fileLength)
            return false;
        MakeRoom(count);
        long bufferOffset = Offset - _item;
        while (_filled < _at + count)
        {
            int room = (int)Math.Min(_capacity - _filled, BlockSize);
            int read = _file.Read(bufferOffset + _filled, new Span<byte>(_data + _filled, room));
            if (read == 0)
                return false;
            _filled += read;
        }

        return true;
    }

    // Items before this one are dropped; the rest moves to the front, once for each block of the file.
    private void MakeRoom(long count)
    {
        _filled -= _item;
        _at -= _item;
        // SAFETY: what is left of the buffer is moved within it.
        Buffer.MemoryCopy(_data + _item, _data, _capacity, _filled);
        _item = 0;
        if (_at + count <= _capacity)
            return;
        long rest = Math.Max(_fileLength - Offset, _at + count);
        _capacity = Math.Min(Math.Max(2 * _capacity, _at + count + BlockSize), rest);
        _data = (byte*)NativeMemory.Realloc(_data, (nuint)_capacity);
    }
}
