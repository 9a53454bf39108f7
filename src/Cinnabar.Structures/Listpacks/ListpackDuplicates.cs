// Whether members or fields come twice in a listpack from outside. A table of positions with open addressing,
// at most half full, under the server's secret: a payload cannot be prepared to take quadratic time. An
// integer and the text that it would be are equal, as they are for readers.
using System.Buffers;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Listpacks;

// SAFETY: reads a listpack that its user keeps from changing.
/// <summary>Finds duplicates in a listpack.</summary>
public static unsafe class ListpackDuplicates
{
    private const int StackLength = 512;

    /// <summary>Whether an entry, among every <paramref name="stride"/>-th, is there twice.</summary>
    /// <param name="pack">A sound listpack.</param>
    /// <param name="stride">Entries that belong together; the first of them is compared.</param>
    /// <param name="seed">The server's secret.</param>
    public static bool Has(byte* pack, int stride, in HashSeed seed)
    {
        Debug.Assert(stride > 0, "a stride of nothing");
        var reader = new ListpackReader(pack);
        int length = (int)BitOperations.RoundUpToPowerOf2((uint)(2 * (reader.Count / stride) + 1));
        int[]? rented = length > StackLength ? ArrayPool<int>.Shared.Rent(length) : null;
        Span<int> places = rented is null ? stackalloc int[StackLength] : rented;
        places = places[..length];
        places.Clear();
        bool has = false;
        for (int position = Listpack.HeaderSize; position < reader.End && !has;
             position = reader.Behind(position, stride))
            has = !TryAdd(reader, places, position, in seed);
        if (rented is not null)
            ArrayPool<int>.Shared.Return(rented);
        return has;
    }

    private static bool TryAdd(ListpackReader reader, Span<int> places, int position, in HashSeed seed)
    {
        ListpackValue value = reader[position];
        bool isInteger = value.TryGetInteger(out long integer);
        ulong hash = isInteger
            ? SipHash.Hash(new ReadOnlySpan<byte>(&integer, sizeof(long)), in seed)
            : SipHash.Hash(value.Text, in seed);
        int mask = places.Length - 1;
        for (int place = (int)hash & mask; ; place = (place + 1) & mask)
        {
            int other = places[place];
            if (other == 0)
            {
                places[place] = position;
                return true;
            }

            ListpackValue there = reader[other];
            bool isEqual = there.TryGetInteger(out long otherInteger) == isInteger
                && (isInteger ? otherInteger == integer : there.Text.SequenceEqual(value.Text));
            if (isEqual)
                return false;
        }
    }
}
