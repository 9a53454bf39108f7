using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Cinnabar.Memory;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>Keeps what a <see cref="ReplyWriter"/> writes, in chunks of native memory.</summary>
public sealed unsafe class ReplyCollector : ReplySink, IDisposable
{
    private const int ChunkSize = 1024;

    private readonly List<Segment> _segments = [];

    /// <inheritdoc/>
    public override int SegmentIndex => _segments.Count - 1;

    /// <inheritdoc/>
    public override void Grow(ref ReplyWriter writer, int byteCountMin)
    {
        Close(in writer);
        int size = Math.Max(ChunkSize, byteCountMin);
        byte* chunk = (byte*)NativeMemory.Alloc((nuint)size);
        _segments.Add(new Segment((nint)chunk, size, 0));
        writer.Cursor = chunk;
        writer.Limit = chunk + size;
    }

    /// <inheritdoc/>
    public override void AppendReference(
        ref ReplyWriter writer, SharedBlock* block, byte* data, int length) =>
        writer.Raw(new ReadOnlySpan<byte>(data, length));

    /// <inheritdoc/>
    public override void Truncate(ref ReplyWriter writer, in ReplyMark mark)
    {
        while (SegmentIndex > mark.SegmentIndex)
        {
            NativeMemory.Free((void*)_segments[^1].Chunk);
            _segments.RemoveAt(SegmentIndex);
        }

        writer.Cursor = mark.Cursor;
        writer.Limit = _segments.Count == 0 ? null : (byte*)_segments[^1].Chunk + _segments[^1].Size;
    }

    /// <inheritdoc/>
    public override void RemoveBytes(int segmentIndex, byte* start, int byteCount)
    {
        Segment segment = _segments[segmentIndex];
        byte* end = (byte*)segment.Chunk + segment.Length;
        byte* rest = start + byteCount;
        Buffer.MemoryCopy(rest, start, end - rest, end - rest);
        _segments[segmentIndex] = segment with { Length = segment.Length - byteCount };
    }

    /// <summary>Everything written so far; the writer starts over.</summary>
    public byte[] Take(ref ReplyWriter writer)
    {
        Close(in writer);
        List<byte> bytes = [];
        foreach (Segment segment in _segments)
            bytes.AddRange(new ReadOnlySpan<byte>((void*)segment.Chunk, segment.Length));
        Dispose();
        writer.Cursor = null;
        writer.Limit = null;
        return [.. bytes];
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Segment segment in _segments)
            NativeMemory.Free((void*)segment.Chunk);
        _segments.Clear();
    }

    private void Close(in ReplyWriter writer)
    {
        if (_segments.Count == 0)
            return;
        Segment segment = _segments[^1];
        _segments[^1] = segment with { Length = (int)(writer.Cursor - (byte*)segment.Chunk) };
    }

    private readonly record struct Segment(nint Chunk, int Size, int Length);
}
