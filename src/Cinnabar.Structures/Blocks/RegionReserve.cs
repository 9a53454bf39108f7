// Small regions that are free, kept for the next ones: touching 100 KB of new memory costs 25 page faults,
// many times its copying. Stacks by size in leaves, linked through the regions' first bytes.
using Cinnabar.Memory;

namespace Cinnabar.Structures.Blocks;

/// <summary>A bounded stock of mapped memory; guarded by its owner's lock.</summary>
internal sealed unsafe class RegionReserve
{
    /// <summary>Regions of up to this many leaves are kept. Such regions are whole leaves in size.</summary>
    internal const int LeafCountMax = 16;

    private const long KeptBytesMax = 8 << 20;

    private readonly nint[] _tops = new nint[LeafCountMax + 1];
    private readonly int[] _counts = new int[LeafCountMax + 1];
    private readonly int[] _idleCounts = new int[LeafCountMax + 1]; // the fewest since the last GiveBackIdle

    /// <summary>Bytes of the regions kept.</summary>
    internal long KeptBytes { get; private set; }

    /// <summary>A region of this size with any contents, or null.</summary>
    internal byte* TryTake(int leafCount)
    {
        nint top = _tops[leafCount];
        if (top == 0) return null;
        // SAFETY: what is on a stack is taken, and begins with the link that TryKeep wrote.
        _tops[leafCount] = *(nint*)top;
        int count = --_counts[leafCount];
        _idleCounts[leafCount] = Math.Min(_idleCounts[leafCount], count);
        KeptBytes -= (long)leafCount * BlockTree.LeafSize;
        return (byte*)top;
    }

    /// <summary>Takes a free region unless there are enough; then it stays the caller's.</summary>
    internal bool TryKeep(byte* data, int leafCount)
    {
        long size = (long)leafCount * BlockTree.LeafSize;
        if (KeptBytes + size > KeptBytesMax) return false;
        *(nint*)data = _tops[leafCount];
        _tops[leafCount] = (nint)data;
        _counts[leafCount]++;
        KeptBytes += size;
        return true;
    }

    /// <summary>Gives everything back that is kept.</summary>
    internal void Trim(PageSource pages)
    {
        for (int leafCount = 1; leafCount <= LeafCountMax; leafCount++)
        {
            GiveBack(pages, leafCount, _counts[leafCount]);
        }
    }

    /// <summary>Gives back what was not needed since the last call.</summary>
    internal void GiveBackIdle(PageSource pages)
    {
        for (int leafCount = 1; leafCount <= LeafCountMax; leafCount++)
        {
            GiveBack(pages, leafCount, _idleCounts[leafCount]);
            _idleCounts[leafCount] = _counts[leafCount];
        }
    }

    private void GiveBack(PageSource pages, int leafCount, int count)
    {
        Debug.Assert(count <= _counts[leafCount], "more regions are given back than are kept");
        for (; count > 0; count--)
        {
            pages.GivePagesBack(TryTake(leafCount), (nuint)leafCount * BlockTree.LeafSize);
        }
    }
}
