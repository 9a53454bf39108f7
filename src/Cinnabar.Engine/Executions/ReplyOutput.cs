// Where the replies of a turn are written. A loop has one chunk that it fills from the start again and again,
// so that it stays in the core's cache; a session's replies of a turn lie in it one behind the other, from
// RunStart to the writer's cursor. Only replies that do not fit (Grow), big values and slow readers leave
// that path: then the replies become a list of segments, each with a reference to its memory.

using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Statistics;
using Cinnabar.Memory;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Executions;

/// <summary>The reply sink of a loop, or of an execution in the slow lane.</summary>
internal sealed unsafe class ReplyOutput : ReplySink, IDisposable
{
    /// <summary>Bytes of a loop's chunk: the replies of a turn to many sessions.</summary>
    public const int LoopChunkSize = (512 * 1024) - SharedBlock.HeaderBytes;

    /// <summary>Bytes of the chunk of an execution in the slow lane.</summary>
    public const int OwnChunkSize = (64 * 1024) - SharedBlock.HeaderBytes;

    /// <summary>Bytes of the chunk of a blocked execution that is served.</summary>
    public const int ServedChunkSize = (4 * 1024) - SharedBlock.HeaderBytes;

    private const int CopiedRestMax = LoopChunkSize / 2;

    private readonly SharedBlockPool _pool;
    private readonly BlockSource _blocks;
    private readonly ErrorStatistics _errors;
    private readonly OutputLimits _limits;
    private readonly List<OutputSegment> _closed = [];
    private readonly int _chunkSize;
    private SharedBlock* _chunk;
    private byte* _start;
    private long _closedByteCount;
    private long _byteCountMax = long.MaxValue;

    /// <summary>Makes an output.</summary>
    /// <param name="pool">Where its chunks come from.</param>
    /// <param name="blocks">Where the blocks of big values are.</param>
    /// <param name="errors">Counts the errors that are replied.</param>
    /// <param name="limits">The limits of unsent output.</param>
    /// <param name="chunkSize">Bytes of a chunk.</param>
    public ReplyOutput(
        SharedBlockPool pool, BlockSource blocks, ErrorStatistics errors, OutputLimits limits, int chunkSize)
    {
        _chunkSize = chunkSize;
        (_pool, _blocks, _errors, _limits) = (pool, blocks, errors, limits);
        _chunk = SharedBlock.Create(_pool, chunkSize);
        _start = _chunk->Data;
    }

    /// <summary>The session of these replies; null: none.</summary>
    public Session? Session { get; set; }

    public override bool IsOverLimit => _closedByteCount > _byteCountMax;

    /// <summary>Bytes of a chunk.</summary>
    public int ChunkSize => _chunkSize;

    public override int SegmentIndex => _closed.Count;

    /// <summary>Whether there is nothing but the run from <see cref="RunStart"/> to the cursor.</summary>
    public bool IsSingleRun => _closed.Count == 0;

    /// <summary>First byte of the current run.</summary>
    public byte* RunStart => _start;

    /// <summary>Bytes written since the last reset.</summary>
    public long ByteCount(byte* cursor) => _closedByteCount + (cursor - _start);

    public override void NoteError(ReadOnlySpan<byte> text) => _errors.Count(text);

    /// <summary>A writer at the start of an empty chunk.</summary>
    public ReplyWriter MakeWriter()
    {
        var writer = new ReplyWriter(this);
        if (_chunk->IsShared)
            NewChunk(ref writer, _chunkSize);
        else
            Attach(ref writer);
        return writer;
    }

    public override void Grow(ref ReplyWriter writer, int byteCountMin)
    {
        CloseRun(writer.Cursor);
        NewChunk(ref writer, Math.Max(byteCountMin, _chunkSize));
        _byteCountMax = Session is null ? long.MaxValue : _limits.HardBytesMax(Session);
    }

    public override void AppendReference(ref ReplyWriter writer, SharedBlock* block, byte* data, int length)
    {
        CloseRun(writer.Cursor);
        block->Retain();
        AddClosed(new OutputSegment { Data = data, Length = length, Block = block });
    }

    /// <summary>Appends bytes of a big string without copying them.</summary>
    public void AppendString(ref ReplyWriter writer, BlockString value, long offset, long length)
    {
        if (length == 0)
            return;
        CloseRun(writer.Cursor);
        AddClosed(new OutputSegment { Length = length, Value = value.Retain(), ValueOffset = offset });
    }

    public override void Truncate(ref ReplyWriter writer, in ReplyMark mark)
    {
        // The dropped bytes begin in a closed run, which becomes the current one again, in its own block.
        OutputSegment resumed = _closed[mark.SegmentIndex];
        for (int index = mark.SegmentIndex + 1; index < _closed.Count; index++)
            Release(index);
        _closed.RemoveRange(mark.SegmentIndex, _closed.Count - mark.SegmentIndex);
        _closedByteCount = 0;
        foreach (OutputSegment segment in _closed)
            _closedByteCount += segment.Length;
        _chunk->Release();
        _chunk = resumed.Block;
        _start = resumed.Data;
        writer.Cursor = mark.Cursor;
        writer.Limit = _chunk->Data + _chunk->Capacity;
    }

    public override void RemoveBytes(int segmentIndex, byte* start, int byteCount)
    {
        ref OutputSegment segment = ref CollectionsMarshal.AsSpan(_closed)[segmentIndex];
        // SAFETY: start and byteCount lie within the segment (the writer reserved them there).
        int tail = (int)(segment.Data + segment.Length - start) - byteCount;
        Buffer.MemoryCopy(start + byteCount, start, tail, tail);
        segment.Length -= byteCount;
        _closedByteCount -= byteCount;
    }

    /// <summary>All bytes that were written since the last reset, in one array.</summary>
    public byte[] Gather(byte* cursor)
    {
        CloseRun(cursor);
        var bytes = new byte[_closedByteCount];
        int place = 0;
        foreach (OutputSegment segment in _closed)
        {
            Span<byte> target = bytes.AsSpan(place, (int)segment.Length);
            // SAFETY: a segment of a block has this many bytes there.
            if (segment.Block != null)
                new ReadOnlySpan<byte>(segment.Data, target.Length).CopyTo(target);
            else
                segment.Value.CopyTo(segment.ValueOffset, target);
            place += target.Length;
        }

        Debug.Assert(place == bytes.Length, "the segments have the bytes that were counted");
        return bytes;
    }

    /// <summary>Whether what is left of the chunk is enough for another session's replies.</summary>
    public bool HasRoom(byte* cursor) => _chunk->Data + _chunk->Capacity - cursor >= _chunkSize / 4;

    /// <summary>Takes the current run, with a reference of its chunk; the next one begins behind
    /// it.</summary>
    public OutputSegment TakeRun(byte* cursor)
    {
        _chunk->Retain();
        var run = new OutputSegment { Data = _start, Length = cursor - _start, Block = _chunk };
        _start = cursor;
        return run;
    }

    /// <summary>Copies a run to its own block if it is much smaller than the chunk that it would keep
    /// alive.</summary>
    public OutputSegment CopyIfSmall(in OutputSegment run)
    {
        if (run.Length > CopiedRestMax)
            return run;
        SharedBlock* block = SharedBlock.Create(_pool, (int)run.Length);
        Buffer.MemoryCopy(run.Data, block->Data, run.Length, run.Length);
        run.Block->Release();
        return new OutputSegment { Data = block->Data, Length = run.Length, Block = block };
    }

    /// <summary>Ends the run at the cursor and gives all segments, with their references, to a
    /// queue.</summary>
    public void MoveTo(OutputQueue queue, ref ReplyWriter writer)
    {
        CloseRun(writer.Cursor);
        foreach (OutputSegment segment in _closed)
            queue.Append(in segment);
        _closed.Clear();
        _closedByteCount = 0;
    }

    /// <summary>Starts over behind sent or moved bytes: in the same chunk from its first byte if there is no
    /// other reference to it, behind the cursor if there is room, else in a new one.</summary>
    public void Restart(ref ReplyWriter writer)
    {
        if (!_chunk->IsShared)
            Attach(ref writer);
        else if (_chunk->Data + _chunk->Capacity - writer.Cursor >= _chunkSize / 4)
            _start = writer.Cursor;
        else
            NewChunk(ref writer, _chunkSize);
    }

    /// <summary>Forgets everything written since the last reset.</summary>
    public void Discard(ref ReplyWriter writer)
    {
        for (int index = 0; index < _closed.Count; index++)
            Release(index);
        _closed.Clear();
        _closedByteCount = 0;
        Restart(ref writer);
    }

    public void Dispose()
    {
        for (int index = 0; index < _closed.Count; index++)
            Release(index);
        _closed.Clear();
        if (_chunk != null)
            _chunk->Release();
        _chunk = null;
    }

    private void NewChunk(ref ReplyWriter writer, int capacity)
    {
        _chunk->Release();
        _chunk = SharedBlock.Create(_pool, capacity);
        Attach(ref writer);
    }

    private void Attach(ref ReplyWriter writer)
    {
        _start = _chunk->Data;
        writer.Cursor = _start;
        writer.Limit = _start + _chunk->Capacity;
    }

    private void Release(int index)
    {
        OutputSegment segment = _closed[index];
        if (segment.Block != null)
            segment.Block->Release();
        else
            segment.Value.Release(_blocks);
    }

    private void CloseRun(byte* cursor)
    {
        if (cursor == _start)
            return;
        _chunk->Retain();
        AddClosed(new OutputSegment { Data = _start, Length = cursor - _start, Block = _chunk });
        _start = cursor;
    }

    private void AddClosed(in OutputSegment segment)
    {
        _closed.Add(segment);
        _closedByteCount += segment.Length;
    }
}
