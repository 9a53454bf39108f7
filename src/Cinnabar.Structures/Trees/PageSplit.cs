namespace Cinnabar.Structures.Trees;

// SAFETY: pages made here have no other user until they are in the tree.
internal static unsafe class PageSplit<TFormat> where TFormat : struct, IRecordFormat
{
    /// <summary>
    /// Two pages with the first <paramref name="cut"/> and the other records of <paramref name="whole"/>,
    /// whose reference this uses up, even if memory runs out.
    /// </summary>
    internal static PagePair Cut(TreeSource source, TreePage* whole, ReadOnlySpan<int> order, int cut)
    {
        PagePair pair = default;
        try
        {
            pair.Left = RecordPage<TFormat>.Select(source, whole, order[..cut], 0, 0);
            pair.Right = RecordPage<TFormat>.Select(source, whole, order[cut..], 0, 0);
        }
        catch (OutOfMemoryException)
        {
            if (pair.Left != null) source.ReleasePage(pair.Left);
            throw;
        }
        finally
        {
            source.ReleasePage(whole);
        }
        return pair;
    }
}
