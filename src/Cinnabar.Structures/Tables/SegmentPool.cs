using Cinnabar.Memory;

namespace Cinnabar.Structures.Tables;

/// <summary>
/// The native memory of all tables of one server: one type-stable pool a segment size and one a directory
/// depth. Thread-safe. A loop that still holds the address of a block that was given back reads, until its
/// next quiescent point, memory that is mapped and is a segment or a directory of the same size.
/// </summary>
public sealed unsafe class SegmentPool : IDisposable
{
    private readonly PageSource _pages;
    private readonly Quiescence _quiescence;
    private readonly TypeStablePool[] _segments = new TypeStablePool[SegmentSize.StepCount];
    private readonly TypeStablePool?[] _directories = new TypeStablePool?[TableDirectory.DepthMax + 1];
    private readonly Lock _lock = new();

    /// <param name="pages">Where the memory comes from.</param>
    /// <param name="quiescence">Says when no loop can still hold a stale address.</param>
    public SegmentPool(PageSource pages, Quiescence quiescence)
    {
        _pages = pages;
        _quiescence = quiescence;
        for (int step = 0; step < _segments.Length; step++)
        {
            nuint size = (nuint)SegmentSize.ByteSize(SegmentSize.BucketCount(step));
            _segments[step] = new TypeStablePool(pages, size, quiescence);
        }

        // SAFETY: no entry is ever placed in this segment, so all tables can share it.
        EmptySegment = new Segment(_segments[0].Take(), SegmentSize.BucketCount(0), 0);
        EmptySegment.Clear();
        EmptyDirectory = TakeDirectory(0);
        TableDirectory.Fill(EmptyDirectory, 0, 1, EmptySegment);
    }

    /// <summary>The directory of every table that has no entry: it leads to a segment that stays
    /// empty.</summary>
    public byte* EmptyDirectory { get; }

    /// <summary>A segment in which nothing is ever placed.</summary>
    internal Segment EmptySegment { get; }

    internal byte* TakeSegment(int step) => _segments[step].Take();

    internal void ReturnSegment(int step, byte* block) => _segments[step].Return(block);

    internal byte* TakeDirectory(int depth)
    {
        byte* block = Directories(depth).Take();
        TableDirectory.Initialize(block, depth);
        return block;
    }

    internal void ReturnDirectory(byte* block) => Directories(TableDirectory.Depth(block)).Return(block);

    /// <summary>Returns to the system what was not needed since the last call.</summary>
    public void GiveBackIdle()
    {
        foreach (TypeStablePool pool in _segments)
            pool.GiveBackIdle();
        for (int depth = 0; depth < _directories.Length; depth++)
            Volatile.Read(ref _directories[depth])?.GiveBackIdle();
    }

    /// <summary>Gives everything back. All tables must have been disposed, all loops have ended.</summary>
    public void Dispose()
    {
        ReturnDirectory(EmptyDirectory);
        ReturnSegment(0, EmptySegment.Buckets);
        foreach (TypeStablePool pool in _segments)
            pool.Dispose();
        foreach (TypeStablePool? pool in _directories)
            pool?.Dispose();
    }

    private TypeStablePool Directories(int depth)
    {
        // ORDER: a pool is published after it is built (Volatile), so a thread that sees it here needs no
        // lock.
        TypeStablePool? pool = Volatile.Read(ref _directories[depth]);
        if (pool is not null)
            return pool;

        lock (_lock)
        {
            pool = _directories[depth];
            if (pool is null)
            {
                pool = new TypeStablePool(_pages, TableDirectory.ByteSize(depth), _quiescence);
                Volatile.Write(ref _directories[depth], pool);
            }

            return pool;
        }
    }
}
