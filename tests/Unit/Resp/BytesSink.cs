using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Unit.Resp;

// A sink of small chunks, so that replies cross their ends at every place. Each chunk has exactly the size
// it says, with canaries behind it that are checked when it is closed. A reference ends its chunk.

/// <summary>Collects replies for tests.</summary>
internal sealed unsafe class BytesSink(int chunkSize) : ReplySink, IDisposable
{
    private const int CanarySize = 16;
    private const byte Canary = 0xC7;

    private readonly List<Segment> _segments = [];

    public override int SegmentIndex => _segments.Count - 1;

    public override void Grow(ref ReplyWriter writer, int byteCountMin)
    {
        Close(writer);
        int size = Math.Max(chunkSize, byteCountMin);
        byte* chunk = (byte*)NativeMemory.Alloc((nuint)(size + CanarySize));
        new Span<byte>(chunk, size + CanarySize).Fill(Canary);
        _segments.Add(new Segment((nint)chunk, size, 0, 0));
        writer.Cursor = chunk;
        writer.Limit = chunk + size;
    }

    public override void AppendReference(ref ReplyWriter writer, SharedBlock* block, byte* data, int length)
    {
        Close(writer);
        block->Retain();
        _segments.Add(new Segment((nint)data, 0, length, (nint)block));
        Grow(ref writer, 1);
    }

    public override void Truncate(ref ReplyWriter writer, in ReplyMark mark)
    {
        while (SegmentIndex > mark.SegmentIndex)
        {
            Drop(_segments[^1]);
            _segments.RemoveAt(SegmentIndex);
        }

        writer.Cursor = mark.Cursor;
        writer.Limit = _segments.Count == 0 ? null : (byte*)_segments[^1].Start + _segments[^1].Capacity;
    }

    public override void RemoveBytes(int segmentIndex, byte* start, int byteCount)
    {
        Segment segment = _segments[segmentIndex];
        byte* end = (byte*)segment.Start + segment.Length;
        byte* rest = start + byteCount;
        Buffer.MemoryCopy(rest, start, end - rest, end - rest);
        _segments[segmentIndex] = segment with { Length = segment.Length - byteCount };
    }

    public void Dispose()
    {
        _segments.ForEach(Drop);
        _segments.Clear();
    }

    internal string Text(in ReplyWriter writer) => Encoding.Latin1.GetString(Bytes(writer));

    internal byte[] Bytes(in ReplyWriter writer)
    {
        Close(writer);
        return [.. _segments.SelectMany(s => new Span<byte>((void*)s.Start, s.Length).ToArray())];
    }

    private static void Drop(Segment segment)
    {
        if (segment.Block != 0)
        {
            ((SharedBlock*)segment.Block)->Release();
        }
        else
        {
            NativeMemory.Free((void*)segment.Start);
        }
    }

    private void Close(in ReplyWriter writer)
    {
        if (_segments.Count == 0 || _segments[^1].Block != 0)
        {
            return;
        }

        Segment segment = _segments[^1];
        if (new Span<byte>((byte*)segment.Start + segment.Capacity, CanarySize).ContainsAnyExcept(Canary))
        {
            throw new InvalidOperationException("a reply was written past its chunk");
        }

        _segments[^1] = segment with { Length = (int)(writer.Cursor - (byte*)segment.Start) };
    }

    private readonly record struct Segment(nint Start, int Capacity, int Length, nint Block);
}
