// Sorts hashes, and indexes along with them: a page's, some hundred at most. The library's sort of two spans
// would do it too, but is generic over types of its own, and so is compiled at run time, first badly: in the
// first second of a server's life that took longer than all else that a set does.
//
// Quicksort with the middle one as pivot, and insertion where few are left. Hashes come in no order, and
// strangers cannot choose them (SipHash), so nothing has to be done against a bad choice of pivots.

namespace Cinnabar.Structures.Hashes;

/// <summary>Sorts hashes with what belongs to them.</summary>
internal static class HashSort
{
    private const int FewCount = 12;

    /// <summary>Sorts both spans, of one length, by the hashes, so far that the least ones are in their
    /// places; behind them are the others in any order.</summary>
    /// <param name="hashes">The hashes.</param>
    /// <param name="indexes">What belongs to them.</param>
    /// <param name="count">How many of the least.</param>
    internal static void SortLeast(Span<ulong> hashes, Span<int> indexes, int count)
    {
        while (hashes.Length > FewCount)
        {
            int cut = Part(hashes, indexes);
            if (count > cut)
            {
                Sort(hashes[..cut], indexes[..cut]);
                hashes = hashes[cut..];
                indexes = indexes[cut..];
                count -= cut;
            }
            else
            {
                hashes = hashes[..cut];
                indexes = indexes[..cut];
            }
        }

        Insert(hashes, indexes);
    }

    /// <summary>Sorts both spans, of one length, by the hashes.</summary>
    internal static void Sort(Span<ulong> hashes, Span<int> indexes)
    {
        while (hashes.Length > FewCount)
        {
            int cut = Part(hashes, indexes);
            // The smaller side first, so that the depth stays below the logarithm of the length.
            if (cut <= hashes.Length / 2)
            {
                Sort(hashes[..cut], indexes[..cut]);
                hashes = hashes[cut..];
                indexes = indexes[cut..];
            }
            else
            {
                Sort(hashes[cut..], indexes[cut..]);
                hashes = hashes[..cut];
                indexes = indexes[..cut];
            }
        }
        Insert(hashes, indexes);
    }

    // Hoare's partition: what lies before the answer, 1 to the length less 1, is not above what lies behind.
    private static int Part(Span<ulong> hashes, Span<int> indexes)
    {
        ulong pivot = hashes[(hashes.Length - 1) / 2];
        int low = -1;
        int high = hashes.Length;
        while (true)
        {
            while (hashes[++low] < pivot)
            {
            }
            while (hashes[--high] > pivot)
            {
            }
            if (low >= high) return high + 1;
            (hashes[low], hashes[high]) = (hashes[high], hashes[low]);
            (indexes[low], indexes[high]) = (indexes[high], indexes[low]);
        }
    }

    private static void Insert(Span<ulong> hashes, Span<int> indexes)
    {
        for (int next = 1; next < hashes.Length; next++)
        {
            ulong hash = hashes[next];
            int index = indexes[next];
            int place = next;
            for (; place > 0 && hashes[place - 1] > hash; place--)
            {
                hashes[place] = hashes[place - 1];
                indexes[place] = indexes[place - 1];
            }
            hashes[place] = hash;
            indexes[place] = index;
        }
    }
}
