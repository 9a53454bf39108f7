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

    /// <summary>Bytes of the regions kept.</summary>
    internal long KeptBytes { get; private set; }

    /// <summary>A region of this size with any contents, or null.</summary>
    internal byte* TryTake(int leafCount)
    {
        nint top = _tops[leafCount];
        if (top == 0) return null;
        // SAFETY: what is on a stack is taken, and begins with the link that TryKeep wrote.
        _tops[leafCount] = *(nint*)top;
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
        KeptBytes += size;
        return true;
    }

    /// <summary>Gives everything back that is kept.</summary>
    internal void Trim(PageSource pages)
    {
        for (int leafCount = 1; leafCount <= LeafCountMax; leafCount++)
        {
            for (byte* data; (data = TryTake(leafCount)) != null;)
            {
                pages.GivePagesBack(data, (nuint)leafCount * BlockTree.LeafSize);
            }
        }
    }
}
