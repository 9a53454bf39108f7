// Memory that commands take for their own time, to sort a million elements in. It is not the garbage
// collector's: arrays of megabytes would have it collect every few commands, with all threads standing still.
//
// Blocks of 64 KB to 16 MB are kept for a while: fresh memory is cleared by the system, page by page, when it
// is first touched, which takes a quarter as long as the sort itself. Smaller ones the C library keeps
// better; larger ones would take too long to be given back by a loop. What nobody has used for two seconds is
// given back, one block a call.
//
// Thread-safe.
using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Cinnabar.Memory;

/// <summary>Memory for the time of one command, kept between commands.</summary>
public sealed unsafe class ScratchPool : IDisposable
{
    /// <summary>How many calls of <see cref="GiveBackIdle"/> without use it takes to give a block
    /// back.</summary>
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

    /// <summary>Gives back a block if none was used for a while; to be called about ten times a
    /// second.</summary>
    public void GiveBackIdle()
    {
        Block idle = default;
        lock (_lock)
        {
            if (_keptCount > 0 && ++_idleCalls > IdleCallsMax)
                idle = _kept[--_keptCount];
        }

        // SAFETY: nobody else knows it any more; freeing nothing does nothing.
        NativeMemory.Free(idle.Start);
    }

    /// <summary>Gives back what is kept.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            while (_keptCount > 0)
                NativeMemory.Free(_kept[--_keptCount].Start);
        }
    }

    /// <summary>Takes a block of at least a size, in bytes; what it holds is anything.</summary>
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

    /// <summary>A block and its size in bytes.</summary>
    internal readonly struct Block(byte* start, nuint size)
    {
        /// <summary>Its first byte.</summary>
        public byte* Start { get; } = start;

        /// <summary>Bytes.</summary>
        public nuint Size { get; } = size;
    }
}
