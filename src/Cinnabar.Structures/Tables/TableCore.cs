using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Tables;

// SAFETY: the owner of a cell (the key space) outlives the table or takes the cell away first.
/// <summary>The state of one table, shared by what looks up, grows, shrinks, walks and frees.</summary>
internal unsafe struct TableCore
{
    private nint _directory;
    private nint* _cell;

    public readonly SegmentPool Pool;
    public readonly HashSeed Seed;
    public long Count;

    /// <summary>Slots in the buckets of all segments, stashes not counted. 0: there is no segment.</summary>
    public long SlotCount;

    /// <summary>Segments whose depth is the directory's. When the last of them merges, it is
    /// halved.</summary>
    public int DeepestCount;

    /// <summary>Removals until the next attempt to shrink.</summary>
    public int ShrinkCredit;

    /// <summary>Where <see cref="TableDrop"/> goes on: directory index and bucket.</summary>
    public long DropIndex;
    public int DropBucket;

    /// <summary>How many segments of each size there are.</summary>
    public fixed int SegmentCounts[SegmentSize.StepCount];

    public TableCore(SegmentPool pool, in HashSeed seed)
    {
        Pool = pool;
        Seed = seed;
        _directory = (nint)pool.EmptyDirectory;
    }

    /// <summary>The directory block.</summary>
    public readonly byte* Directory
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (byte*)_directory;
    }

    /// <summary>Native bytes of the directory and all segments.</summary>
    public readonly long OverheadBytes
    {
        get
        {
            if (SlotCount == 0)
                return 0;
            long bytes = (long)TableDirectory.ByteSize(TableDirectory.Depth(Directory));
            for (int step = 0; step < SegmentSize.StepCount; step++)
                bytes += (long)SegmentCounts[step] * SegmentSize.ByteSize(SegmentSize.BucketCount(step));
            return bytes;
        }
    }

    public Segment TakeSegment(int step, int depth)
    {
        int bucketCount = SegmentSize.BucketCount(step);
        var segment = new Segment(Pool.TakeSegment(step), bucketCount, depth);
        segment.Clear();
        SegmentCounts[step]++;
        SlotCount += bucketCount * Bucket.SlotCount;
        return segment;
    }

    public void ReturnSegment(Segment segment)
    {
        int step = SegmentSize.Step(segment.BucketCount);
        Debug.Assert(SegmentCounts[step] > 0, "a segment is given back that was not taken");
        SegmentCounts[step]--;
        SlotCount -= segment.BucketCount * Bucket.SlotCount;
        NoteChange();
        Pool.ReturnSegment(step, segment.Buckets);
    }

    /// <summary>Makes another block the directory. The old one is the caller's to give back.</summary>
    public void Publish(byte* directory)
    {
        // ORDER: a loop that prefetches without the lock must find the block's depth and entries written.
        Volatile.Write(ref _directory, (nint)directory);
        if (_cell != null)
            Volatile.Write(ref *_cell, (nint)directory);
        NoteChange();
    }

    /// <summary>
    /// Says that what a prefetch has found may no longer be so: an entry has come to a slot or left it, or a
    /// segment or directory is about to be given back. To be called when the table says so already and before
    /// the memory is another's.
    /// </summary>
    // ORDER: released behind the change itself. A reader that read the count before the table, and finds it
    // the same under the lock, has not seen a half-done change.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void NoteChange()
    {
        if (_cell != null)
            Volatile.Write(ref _cell[1], _cell[1] + 1);
    }

    /// <summary>Keeps a cell, from now on, at the directory's address; null: none.</summary>
    public void PublishTo(nint* cell)
    {
        // ORDER: as in Publish.
        _cell = cell;
        if (cell != null)
            Volatile.Write(ref *cell, _directory);
        NoteChange();
    }
}
