using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Structures.Lists;

// SAFETY: the caller owns the listpack, which only becomes smaller.
/// <summary>Removal by value from one listpack of a list.</summary>
public static unsafe class ListSieve
{
    /// <summary>How many elements are the text.</summary>
    public static int CountEqual(byte* listpack, scoped ReadOnlySpan<byte> text)
    {
        var reader = new ListpackReader(listpack);
        int count = 0;
        for (int position = reader.Find(text, reader.First); position != 0; count++)
        {
            position = reader.Find(text, reader.Next(position));
        }
        return count;
    }

    /// <summary>Takes out some of the elements that are the text, after leaving some of them.</summary>
    /// <returns>How many were taken out.</returns>
    public static int DropEqual(byte* listpack, scoped in ListText text, int skipped, long countMax)
    {
        var sieve = new ListpackSieve(listpack);
        while (countMax > 0 && sieve.MoveNext())
        {
            ListpackValue value = sieve.Current;
            if (!text.Equals(in value) || skipped-- > 0) continue;
            sieve.Drop();
            countMax--;
        }
        return sieve.Complete();
    }
}
