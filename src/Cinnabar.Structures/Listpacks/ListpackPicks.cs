using Cinnabar.Platform;

namespace Cinnabar.Structures.Listpacks;

/// <summary>Random picks of entries where the same one may come more than once.</summary>
public static class ListpackPicks
{
    /// <summary>Picks one group of entries; its first one's position, or 0 in an empty listpack.</summary>
    public static int Pick(ListpackReader reader, int stride, ref RandomSource random)
    {
        int groupCount = reader.Count / stride;
        return groupCount == 0 ? 0 : reader.Seek((int)random.NextBelow((ulong)groupCount) * stride);
    }

    /// <summary>
    /// Fills a span with independent picks, by one pass over the listpack, in an order that is random too.
    /// </summary>
    /// <param name="reader">Not empty; its count is a multiple of the stride.</param>
    /// <param name="stride">Entries of a group: 2 for fields and their values.</param>
    /// <param name="positions">Receives the positions of the groups' first entries.</param>
    /// <param name="random">What decides.</param>
    public static void Fill(ListpackReader reader, int stride, Span<int> positions, ref RandomSource random)
    {
        ulong groupCount = (ulong)(reader.Count / stride);
        foreach (ref int position in positions) position = (int)random.NextBelow(groupCount);
        positions.Sort();
        int current = Listpack.HeaderSize;
        int currentGroup = 0;
        foreach (ref int position in positions)
        {
            current = reader.Behind(current, (position - currentGroup) * stride);
            currentGroup = position;
            position = current;
        }
        // Sorted independent picks in random order are independent picks again.
        for (int left = positions.Length; left > 1; left--)
        {
            int chosen = (int)random.NextBelow((ulong)left);
            (positions[left - 1], positions[chosen]) = (positions[chosen], positions[left - 1]);
        }
    }
}
