// A stream of bytes in blocks, of which the newest are kept and which several readers follow at their own
// pace. It is the backlog of a replication stream, and it carries the payload of a full synchronisation.
//
//   offset   Start                                  End
//              ▼                                     ▼
//   ┌ ─ ─ ┬────────┬────────┬────────┬────────┬──────────┐
//   │freed│ block  │ block  │ block  │ block  │ block ···│
//   └ ─ ─ ┴────────┴────────┴────────┴────────┴──────────┘
//                      ▲                    ▲
//                   reader               reader
//
// A byte's number counts from 1; an offset is that of the last byte before a place. Blocks are reference
// counted, so a reader's bytes are sent from where they lie and no reader copies. A block is freed from the
// front when the retention holds without it and every reader has passed it; so a slow reader keeps memory,
// which its owner limits (HeldBytes).
//
// Bytes are appended behind those that readers see: the end moves under the lock, after the bytes are there.

using Cinnabar.Memory;

namespace Cinnabar.Replication;

/// <summary>A stream of bytes with readers. Thread-safe.</summary>
/// <param name="pool">Where its blocks come from.</param>
/// <param name="offset">Bytes before its first.</param>
public sealed unsafe class ReplicationBacklog(SharedBlockPool pool, long offset) : IDisposable
{
    // Blocks fill a place of the pool: 64 KiB, or 16 KiB of a small backlog.
    private const int BlockBytes = (64 * 1024) - SharedBlock.HeaderBytes;
    private const int SmallBlockBytes = (16 * 1024) - SharedBlock.HeaderBytes;
    private const long SmallRetentionMax = 256 * 1024;

    private readonly SharedBlockPool _pool = pool;
    private readonly Lock _lock = new();
    private readonly List<Piece> _pieces = [];
    private readonly List<BacklogReader> _readers = [];
    private int _first;
    private long _end = offset;
    private long _retention;
    private long _memoryBytes;
    private bool _isDisposed;

    /// <summary>The offset before the first byte that a new reader can begin with: as much as is retained,
    /// and what a slow reader keeps beyond that.</summary>
    public long StartOffset
    {
        get
        {
            lock (_lock)
                return KeptOffset;
        }
    }

    /// <summary>The offset behind the last byte.</summary>
    public long EndOffset
    {
        get
        {
            lock (_lock)
                return _end;
        }
    }

    /// <summary>Bytes that are kept although all readers have passed them.</summary>
    public long Retention
    {
        get
        {
            lock (_lock)
                return _retention;
        }

        set
        {
            Debug.Assert(value >= 0, "bytes");
            lock (_lock)
            {
                _retention = value;
                Trim();
            }
        }
    }

    /// <summary>Bytes of all blocks, those included that only a slow reader needs.</summary>
    public long MemoryBytes
    {
        get
        {
            lock (_lock)
                return _memoryBytes;
        }
    }

    /// <summary>How far behind the end the slowest reader is; 0: there is none.</summary>
    public long UnreadBytes
    {
        get
        {
            lock (_lock)
                return _end - SlowestPosition;
        }
    }

    /// <summary>Appends bytes.</summary>
    /// <returns>The offset behind them.</returns>
    public long Append(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            Debug.Assert(!_isDisposed, "it is over");
            while (!bytes.IsEmpty)
            {
                if (_first == _pieces.Count || Last.Room == 0)
                    AddPiece(bytes.Length);
                ref Piece last = ref CollectionsMarshal.AsSpan(_pieces)[^1];
                int count = Math.Min(last.Room, bytes.Length);
                // SAFETY: the block has the room; readers see only bytes before the end.
                bytes[..count].CopyTo(new Span<byte>(last.Block->Data + last.Length, count));
                last.Length += count;
                _end += count;
                bytes = bytes[count..];
            }

            Trim();
            return _end;
        }
    }

    /// <summary>Adds a reader, if the bytes that it wants are still kept.</summary>
    /// <param name="position">The offset before its first byte.</param>
    /// <returns>Null where they are not, or have not come yet.</returns>
    public BacklogReader? TryAddReader(long position)
    {
        lock (_lock)
        {
            if (_isDisposed || position > _end || position < KeptOffset)
                return null;
            var reader = new BacklogReader(this, position);
            _readers.Add(reader);
            return reader;
        }
    }

    /// <summary>Frees what no segment that was taken needs any more.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            foreach (Piece piece in CollectionsMarshal.AsSpan(_pieces)[_first..])
                piece.Block->Release();
            _pieces.Clear();
            _memoryBytes = 0;
            _readers.Clear();
            _first = 0;
        }
    }

    internal bool TryTake(BacklogReader reader, int bytesMax, out BacklogSegment segment)
    {
        segment = default;
        lock (_lock)
        {
            if (_isDisposed || reader.Position == _end || reader.IsDisposed)
                return false;
            ref Piece piece = ref CollectionsMarshal.AsSpan(_pieces)[IndexOf(reader.Position)];
            int start = (int)(reader.Position - piece.Start);
            int count = Math.Min(bytesMax, piece.Length - start);
            piece.Block->Retain();
            segment = new BacklogSegment(piece.Block, piece.Block->Data + start, count);
            bool wasFirst = piece.Start == FirstOffset;
            reader.Position += count;
            if (wasFirst)
                Trim();
            return true;
        }
    }

    internal void Remove(BacklogReader reader)
    {
        lock (_lock)
        {
            if (_readers.Remove(reader) && !_isDisposed)
                Trim();
        }
    }

    internal long UnreadBytesOf(BacklogReader reader)
    {
        lock (_lock)
            return _end - reader.Position;
    }

    private Piece Last => _pieces[^1];

    private long FirstOffset => _first < _pieces.Count ? _pieces[_first].Start : _end;

    private long KeptOffset => Math.Max(FirstOffset, Math.Min(SlowestPosition, _end - _retention));

    private long SlowestPosition
    {
        get
        {
            long slowest = _end;
            foreach (BacklogReader reader in _readers)
                slowest = Math.Min(slowest, reader.Position);
            return slowest;
        }
    }

    private void AddPiece(int wanted)
    {
        bool isSmall = _retention <= SmallRetentionMax && wanted <= SmallBlockBytes;
        SharedBlock* block = SharedBlock.Create(_pool, isSmall ? SmallBlockBytes : BlockBytes);
        _pieces.Add(new Piece { Block = block, Start = _end });
        _memoryBytes += block->Capacity + SharedBlock.HeaderBytes;
    }

    // Pieces lie in the order of their offsets.
    private int IndexOf(long position)
    {
        (int low, int high) = (_first, _pieces.Count - 1);
        while (low < high)
        {
            int middle = (low + high + 1) / 2;
            if (_pieces[middle].Start <= position)
                low = middle;
            else
                high = middle - 1;
        }

        Debug.Assert(_pieces[low].Start <= position && position < _pieces[low].End, "a reader is in a block");
        return low;
    }

    // The last block stays while it has room for more.
    private void Trim()
    {
        long needed = Math.Min(SlowestPosition, _end - _retention);
        while (_first < _pieces.Count && _pieces[_first].End <= needed
            && (_first < _pieces.Count - 1 || Last.Room == 0))
        {
            _memoryBytes -= _pieces[_first].Block->Capacity + SharedBlock.HeaderBytes;
            _pieces[_first].Block->Release();
            _pieces[_first++] = default;
        }

        if (_first > _pieces.Count / 2)
        {
            _pieces.RemoveRange(0, _first);
            _first = 0;
        }
    }

    private struct Piece
    {
        public SharedBlock* Block;
        public long Start;
        public int Length;

        public readonly int Room => Block->Capacity - Length;

        public readonly long End => Start + Length;
    }
}
