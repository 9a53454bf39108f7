// Whether members or fields come twice in a listpack from outside. A table with open addressing, at most half
// full; a word of it is
//
//   63            32 31             0
//   ┌───────────────┬───────────────┐
//   │ half the hash │ position      │   0: free
//   └───────────────┴───────────────┘
//
// so that only equal halves lead to a comparison. An integer and the text that it would be are equal, as they
// are for readers.
//
// Two hashes. The first is cheap (multiplications under the server's secret), since this check is a good part
// of loading a file of small collections. It is not known to resist an attacker; where entries crowd in its
// table, all begins again with SipHash: a payload cannot be prepared to take quadratic time.
using System.Buffers;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Listpacks;

// SAFETY: reads a listpack that its user keeps from changing.
/// <summary>Finds duplicates in a listpack.</summary>
public static unsafe class ListpackDuplicates
{
    private const int StackLength = 512;
    private const int ProbeCountMax = 64;
    private const int HashShift = 32;

    /// <summary>Whether an entry, among every <paramref name="stride"/>-th, is there twice.</summary>
    /// <param name="pack">A sound listpack.</param>
    /// <param name="stride">Entries that belong together; the first of them is compared.</param>
    /// <param name="seed">The server's secret.</param>
    public static bool Has(byte* pack, int stride, in HashSeed seed)
    {
        Debug.Assert(stride > 0, "a stride of nothing");
        var reader = new ListpackReader(pack);
        int length = (int)BitOperations.RoundUpToPowerOf2((uint)(2 * (reader.Count / stride) + 1));
        ulong[]? rented = length > StackLength ? ArrayPool<ulong>.Shared.Rent(length) : null;
        Span<ulong> places = rented is null ? stackalloc ulong[StackLength] : rented;
        places = places[..length];
        Finding finding = Find(reader, places, stride, in seed, isCheap: true);
        if (finding == Finding.Crowd)
            finding = Find(reader, places, stride, in seed, isCheap: false);
        if (rented is not null)
            ArrayPool<ulong>.Shared.Return(rented);
        return finding == Finding.Duplicate;
    }

    private static Finding Find(
        ListpackReader reader, Span<ulong> places, int stride, in HashSeed seed, bool isCheap)
    {
        places.Clear();
        var finding = Finding.Nothing;
        for (int position = Listpack.HeaderSize; position < reader.End && finding == Finding.Nothing;
             position = reader.Behind(position, stride))
        {
            ListpackValue value = reader[position];
            ulong hash = HashOf(value, in seed, isCheap);
            finding = Add(reader, places, position, hash, isCheap ? ProbeCountMax : int.MaxValue);
        }

        return finding;
    }

    private static Finding Add(
        ListpackReader reader, Span<ulong> places, int position, ulong hash, int probeCountMax)
    {
        int mask = places.Length - 1;
        for (int place = (int)hash & mask; probeCountMax > 0; place = (place + 1) & mask, probeCountMax--)
        {
            ulong other = places[place];
            if (other == 0)
            {
                places[place] = (hash >> HashShift << HashShift) | (uint)position;
                return Finding.Nothing;
            }

            if (other >> HashShift == hash >> HashShift && AreEqual(reader[(int)other], reader[position]))
                return Finding.Duplicate;
        }

        return Finding.Crowd;
    }

    private static bool AreEqual(ListpackValue first, ListpackValue second)
    {
        bool isInteger = first.TryGetInteger(out long integer);
        if (second.TryGetInteger(out long other) != isInteger)
            return false;
        return isInteger ? integer == other : first.Text.SequenceEqual(second.Text);
    }

    private static ulong HashOf(ListpackValue value, in HashSeed seed, bool isCheap)
    {
        ReadOnlySpan<byte> text = value.TryGetInteger(out long integer)
            ? new ReadOnlySpan<byte>(&integer, sizeof(long)) : value.Text;
        return isCheap ? CheapHash(text, in seed) : SipHash.Hash(text, in seed);
    }

    // The words of 16 bytes at a time are multiplied under the secret; the last two may overlap others.
    private static ulong CheapHash(ReadOnlySpan<byte> text, in HashSeed seed)
    {
        fixed (byte* start = text)
        {
            byte* end = start + text.Length;
            ulong hash = (uint)text.Length;
            if (text.Length < sizeof(ulong))
                return Mix(hash ^ ShortWord(start, text.Length), 0, in seed);
            // SAFETY: all words lie in the text, which has eight bytes at least.
            for (byte* at = start; end - at > 2 * sizeof(ulong); at += 2 * sizeof(ulong))
                hash = Mix(hash ^ *(ulong*)at, *(ulong*)(at + sizeof(ulong)), in seed);
            byte* last = end - sizeof(ulong);
            byte* first = text.Length > 2 * sizeof(ulong) ? last - sizeof(ulong) : start;
            return Mix(hash ^ *(ulong*)first, *(ulong*)last, in seed);
        }
    }

    // Fewer than eight bytes.
    private static ulong ShortWord(byte* text, int length)
    {
        ulong word = 0;
        for (int index = 0; index < length; index++)
            word = word << 8 | text[index];
        return word << 8;
    }

    private static ulong Mix(ulong first, ulong second, in HashSeed seed)
    {
        ulong high = Math.BigMul(first ^ seed.K0, second ^ seed.K1, out ulong low);
        return high ^ low;
    }

    private enum Finding
    {
        Nothing,
        Duplicate,
        Crowd,
    }
}
