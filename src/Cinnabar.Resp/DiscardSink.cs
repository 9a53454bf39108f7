using System;
using System.Runtime.InteropServices;
using Cinnabar.Memory;

namespace Cinnabar.Resp;

// The sink of muted writers: one scratch chunk, filled over and over. Every Grow begins a new segment
// index, so that a deferred header written before it is not touched again. One a loop is enough: what is
// written is never read.

/// <summary>Takes replies that nobody wants.</summary>
public sealed unsafe class DiscardSink : ReplySink, IDisposable
{
    private const int ChunkSizeMin = 4096;

    private byte* _chunk;
    private int _size;
    private int _segmentIndex;

    /// <inheritdoc/>
    public override int SegmentIndex => _segmentIndex;

    /// <inheritdoc/>
    public override void Grow(ref ReplyWriter writer, int byteCountMin)
    {
        if (_size < byteCountMin)
        {
            _size = Math.Max(byteCountMin, ChunkSizeMin);
            _chunk = (byte*)NativeMemory.Realloc(_chunk, (nuint)_size);
        }

        _segmentIndex++;
        writer.Cursor = _chunk;
        writer.Limit = _chunk + _size;
    }

    /// <inheritdoc/>
    public override void AppendReference(ref ReplyWriter writer, SharedBlock* block, byte* data, int length)
    {
    }

    /// <inheritdoc/>
    public override void Truncate(ref ReplyWriter writer, in ReplyMark mark)
    {
    }

    /// <inheritdoc/>
    public override void RemoveBytes(int segmentIndex, byte* start, int byteCount)
    {
    }

    /// <summary>Gives the chunk back.</summary>
    public void Dispose()
    {
        NativeMemory.Free(_chunk);
        _chunk = null;
        _size = 0;
    }
}
