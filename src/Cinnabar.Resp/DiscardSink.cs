using Cinnabar.Memory;

namespace Cinnabar.Resp;

// The sink of muted writers: one scratch chunk, filled over and over. Every Grow begins a new segment, so
// that ending a deferred header of an earlier one moves no bytes. But the header itself is still written
// where its space was reserved, so a chunk that became too small stays allocated until the sink is disposed;
// each chunk is at least twice the size of the one before. One sink a loop is enough, because its content is
// never read.

/// <summary>Takes the replies of muted writers.</summary>
public unsafe class DiscardSink : ReplySink, IDisposable
{
    private const int ChunkSizeMin = 16 * 1024;

    private readonly List<nint> _chunks = [];
    private int _size;
    private int _segmentIndex;

    public override int SegmentIndex => _segmentIndex;

    public override void Grow(ref ReplyWriter writer, int byteCountMin)
    {
        Debug.Assert(byteCountMin > 0, "a writer asks for space that it needs");
        if (_size < byteCountMin)
        {
            int doubled = (int)Math.Min(_size * 2L, Array.MaxLength);
            _size = Math.Max(byteCountMin, Math.Max(ChunkSizeMin, doubled));
            _chunks.Add((nint)NativeMemory.Alloc((nuint)_size));
        }

        _segmentIndex++;
        writer.Cursor = (byte*)_chunks[^1];
        writer.Limit = writer.Cursor + _size;
    }

    public override void AppendReference(ref ReplyWriter writer, SharedBlock* block, byte* data, int length)
    {
    }

    public override void Truncate(ref ReplyWriter writer, in ReplyMark mark)
    {
    }

    public override void RemoveBytes(int segmentIndex, byte* start, int byteCount)
    {
    }

    /// <summary>Frees the chunks.</summary>
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        _chunks.ForEach(chunk => NativeMemory.Free((void*)chunk));
        _chunks.Clear();
        _size = 0;
    }
}
