using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Unit.Resp;

// A sink of small chunks, so that replies cross their ends at every place. Each chunk has exactly the size it says,
// with canaries behind it that are checked when it is closed.

/// <summary>Collects replies for tests.</summary>
internal sealed unsafe class BytesSink(int chunkSize) : ReplySink, IDisposable
{
    private const int CanarySize = 16;
    private const byte Canary = 0xC7;

    private readonly List<(nint Chunk, int ChunkSize, nint Start, int Length)> _segments = [];

    public override int SegmentIndex => _segments.Count - 1;

    public override void Grow(ref ReplyWriter writer, int byteCountMin)
    {
        Close(writer);
        int size = Math.Max(chunkSize, byteCountMin);
        byte* chunk = (byte*)NativeMemory.Alloc((nuint)(size + CanarySize));
        new Span<byte>(chunk, size + CanarySize).Fill(Canary);
        _segments.Add(((nint)chunk, size, (nint)chunk, 0));
        writer.Cursor = chunk;
        writer.Limit = chunk + size;
    }

    public override void Truncate(ref ReplyWriter writer, in ReplyMark mark)
    {
        while (SegmentIndex > mark.SegmentIndex)
        {
            NativeMemory.Free((void*)_segments[^1].Chunk);
            _segments.RemoveAt(SegmentIndex);
        }

        writer.Cursor = mark.Cursor;
        writer.Limit = _segments.Count == 0 ? null : (byte*)_segments[^1].Chunk + _segments[^1].ChunkSize;
    }

    public override void RemoveBytes(int segmentIndex, byte* start, int byteCount)
    {
        (nint chunk, int size, nint first, int length) = _segments[segmentIndex];
        byte* end = (byte*)first + length;
        byte* rest = start + byteCount;
        Buffer.MemoryCopy(rest, start, end - rest, end - rest);
        _segments[segmentIndex] = (chunk, size, first, length - byteCount);
    }

    public void Dispose()
    {
        foreach ((nint chunk, _, _, _) in _segments)
        {
            NativeMemory.Free((void*)chunk);
        }

        _segments.Clear();
    }

    internal string Text(in ReplyWriter writer) => Encoding.Latin1.GetString(Bytes(writer));

    internal byte[] Bytes(in ReplyWriter writer)
    {
        Close(writer);
        return [.. _segments.SelectMany(s => new Span<byte>((void*)s.Start, s.Length).ToArray())];
    }

    private void Close(in ReplyWriter writer)
    {
        if (_segments.Count == 0)
        {
            return;
        }

        (nint chunk, int size, nint start, _) = _segments[^1];
        if (new Span<byte>((byte*)chunk + size, CanarySize).ContainsAnyExcept(Canary))
        {
            throw new InvalidOperationException("a reply was written past its chunk");
        }

        _segments[^1] = (chunk, size, start, (int)(writer.Cursor - (byte*)start));
    }
}
