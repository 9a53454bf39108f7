// Address space for the time when the system maps no more (RLIMIT_AS, a limit on commits): commands that have
// begun end with it, those that need memory are refused before they begin.
//
//   the system maps ──► the reserve is filled with the first region; nothing of it is resident
//   it refuses      ──► four blocks go back to it, for what others allocate; the next regions are the others
//   it maps again   ──► the reserve is filled, and the shortage is over
//
// A block has the size of a region. A command that needs more than the reserve at once fails as it would
// without.

using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>Blocks of addresses that are mapped ahead; guarded by its page source's lock.</summary>
internal sealed unsafe class MappingReserve
{
    /// <summary>The size of a block, and what its address is a multiple of.</summary>
    internal const int BlockBytes = Slab.RegionBytes;

    private const int BlockCount = 12;
    private const int SpareCount = 4;

    private readonly nint[] _blocks = new nint[BlockCount];
    private int _count;

    /// <summary>Whether no block is missing.</summary>
    internal bool IsFull => _count == BlockCount;

    /// <summary>Maps what is missing.</summary>
    /// <returns>False where the system refuses.</returns>
    internal bool TryFill()
    {
        try
        {
            while (_count < BlockCount)
            {
                _blocks[_count] = (nint)NativePages.Map(BlockBytes, BlockBytes);
                _count++;
            }

            return true;
        }
        catch (OutOfMemoryException)
        {
            return false;
        }
    }

    /// <summary>Takes a block; from now on it is the caller's to unmap.</summary>
    /// <returns>Null where there is none.</returns>
    internal byte* TryTake()
    {
        if (IsFull)
        {
            for (int spare = 0; spare < SpareCount; spare++)
                _ = NativePages.Unmap((byte*)_blocks[--_count], BlockBytes);
        }

        return _count == 0 ? null : (byte*)_blocks[--_count];
    }

    /// <summary>Unmaps all blocks.</summary>
    internal void Free()
    {
        while (_count > 0)
            _ = NativePages.Unmap((byte*)_blocks[--_count], BlockBytes);
    }
}
