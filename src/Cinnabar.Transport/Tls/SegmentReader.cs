using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls;

/// <summary>Reads segments in pieces, small segments put together.</summary>
internal unsafe struct SegmentReader
{
    private readonly OutputSegment* _segments;
    private readonly int _count;
    private int _index;
    private long _offset;

    /// <summary>Begins behind the first <paramref name="position"/> bytes.</summary>
    public SegmentReader(OutputSegment* segments, int count, long position)
    {
        _segments = segments;
        _count = count;
        _index = 0;
        _offset = 0;
        while (position > 0)
        {
            Debug.Assert(_index < count, "what was encrypted is offered again");
            _offset = Math.Min(position, segments[_index].Length);
            position -= _offset;
            Normalize();
        }

        Normalize();
    }

    /// <summary>Whether there are bytes left.</summary>
    public readonly bool HasMore => _index < _count;

    /// <summary>The next bytes, where they are if they are in one segment, else copied.</summary>
    /// <param name="gather">Room for <paramref name="max"/> bytes.</param>
    /// <param name="max">Most bytes.</param>
    /// <param name="length">How many there are.</param>
    public byte* Take(byte* gather, int max, out int length)
    {
        Debug.Assert(HasMore);
        long left = _segments[_index].Length - _offset;
        if (left >= max || _index == _count - 1)
        {
            byte* data = _segments[_index].Data + _offset;
            length = (int)Math.Min(left, max);
            Advance(length);
            return data;
        }

        length = 0;
        while (HasMore && length < max)
        {
            int part = (int)Math.Min(_segments[_index].Length - _offset, max - length);
            Buffer.MemoryCopy(_segments[_index].Data + _offset, gather + length, max - length, part);
            length += part;
            Advance(part);
        }

        return gather;
    }

    private void Advance(long count)
    {
        _offset += count;
        Normalize();
    }

    private void Normalize()
    {
        while (_index < _count && _offset == _segments[_index].Length)
        {
            _index++;
            _offset = 0;
        }
    }
}
