// Memory for the duration of a command, for example to sort a million elements. It is native: managed arrays
// of megabytes would cause a collection every few commands, which stops all threads.
//
// Blocks of 64 KB to 16 MB are kept for a while: the system clears fresh memory page by page at first touch,
// which takes a quarter as long as the sort itself. The C library keeps smaller blocks better; returning
// larger ones would delay a loop too long. A block unused for two seconds is freed, one a call.
//
// Thread-safe.

namespace Cinnabar.Memory;

/// <summary>Memory for the time of one command, kept between commands.</summary>
public sealed unsafe class ScratchPool : IDisposable
{
    /// <summary>After how many calls of <see cref="GiveBackIdle"/> an unused block is freed.</summary>
    public const int IdleCallsMax = 20;

    private const nuint KeptSizeMin = 64 * 1024;
    private const nuint KeptSizeMax = 16 * 1024 * 1024;
    private const nuint WasteFactor = 2;

    private readonly Lock _lock = new();
    private readonly Block[] _kept = new Block[8];
    private int _keptCount;
    private int _idleCalls;

    /// <summary>How many blocks are out.</summary>
    public int TakenCount { get; private set; }

    /// <summary>How many blocks are kept.</summary>
    public int KeptCount
    {
        get
        {
            lock (_lock)
                return _keptCount;
        }
    }

    /// <summary>Frees a block if none was used for a while; call it about ten times a second.</summary>
    public void GiveBackIdle()
    {
        Block idle = default;
        lock (_lock)
        {
            if (_keptCount > 0 && ++_idleCalls > IdleCallsMax)
                idle = _kept[--_keptCount];
        }

        // SAFETY: no other reference to it exists; freeing null does nothing.
        NativeMemory.Free(idle.Start);
    }

    /// <summary>Frees the kept blocks.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            while (_keptCount > 0)
                NativeMemory.Free(_kept[--_keptCount].Start);
        }
    }

    /// <summary>Takes a block of at least this many bytes, contents undefined.</summary>
    /// <exception cref="OutOfMemoryException">There is none.</exception>
    internal Block Take(nuint size)
    {
        lock (_lock)
        {
            TakenCount++;
            _idleCalls = 0;
            int best = -1;
            for (int index = 0; index < _keptCount; index++)
            {
                nuint kept = _kept[index].Size;
                if (kept >= size && kept / WasteFactor <= size && (best < 0 || kept < _kept[best].Size))
                    best = index;
            }

            if (best >= 0)
            {
                Block found = _kept[best];
                _kept[best] = _kept[--_keptCount];
                return found;
            }
        }

        return new Block((byte*)NativeMemory.Alloc(size), size);
    }

    /// <summary>Gives a block back.</summary>
    internal void Return(Block block)
    {
        lock (_lock)
        {
            Debug.Assert(TakenCount > 0 && block.Start != null, "no taken block is returned");
            TakenCount--;
            _idleCalls = 0;
            if (block.Size is >= KeptSizeMin and <= KeptSizeMax && _keptCount < _kept.Length)
            {
                _kept[_keptCount++] = block;
                return;
            }
        }

        NativeMemory.Free(block.Start);
    }

    internal readonly struct Block(byte* start, nuint size)
    {
        /// <summary>Its first byte.</summary>
        public byte* Start { get; } = start;

        /// <summary>Bytes.</summary>
        public nuint Size { get; } = size;
    }
}
