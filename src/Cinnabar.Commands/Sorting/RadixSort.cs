// Sorts keys of 64 bits by their digits, the last digit first: the counts of a digit's values give the
// places of the keys that have each, and each pass moves the keys there in their order. Digits have 11 bits,
// so there are six passes; a pass whose digit is the same in all keys is left out, as many are where the
// numbers are close to each other. All digits are counted in one go beforehand. This is faster than comparing
// for many keys, and slower for few.

using System.Buffers;
using Cinnabar.Memory;

namespace Cinnabar.Commands.Sorting;

/// <summary>Sorts keys, and items along with them.</summary>
internal static class RadixSort
{
    private const int DigitBits = 11;
    private const int DigitCount = 1 << DigitBits;
    private const int PassCount = 6;
    private const int CountMin = 2048;

    /// <summary>Sorts keys ascending.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="access">Has memory for it.</param>
    internal static void Sort(Span<ulong> keys, KeyspaceAccess access)
    {
        if (keys.Length < CountMin)
        {
            keys.Sort();
            return;
        }

        ScratchPool pool = access.Keyspace.Scratch;
        int[] counts = ArrayPool<int>.Shared.Rent(PassCount * DigitCount);
        using var otherKeys = new Scratch<ulong>(pool, keys.Length);
        Count(keys, counts);
        Span<ulong> from = keys;
        Span<ulong> to = otherKeys.Span;
        bool isInPlace = true;
        for (int pass = 0; pass < PassCount; pass++)
        {
            Span<int> places = counts.AsSpan(pass * DigitCount, DigitCount);
            if (places[Digit(from[0], pass)] == keys.Length)
                continue;
            MakePlaces(places);
            foreach (ulong key in from)
                to[places[Digit(key, pass)]++] = key;

            Span<ulong> moved = to;
            to = from;
            from = moved;
            isInPlace = !isInPlace;
        }

        if (!isInPlace)
            from.CopyTo(keys);
        ArrayPool<int>.Shared.Return(counts);
    }

    /// <summary>Sorts keys ascending.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="items">As many items.</param>
    /// <param name="access">Has memory for it.</param>
    internal static void Sort(Span<ulong> keys, Span<int> items, KeyspaceAccess access)
    {
        Debug.Assert(items.Length == keys.Length, "each key has an item");
        if (keys.Length < CountMin)
        {
            keys.Sort(items);
            return;
        }

        ScratchPool pool = access.Keyspace.Scratch;
        int[] counts = ArrayPool<int>.Shared.Rent(PassCount * DigitCount);
        using var otherKeys = new Scratch<ulong>(pool, keys.Length);
        using var otherItems = new Scratch<int>(pool, keys.Length);
        Count(keys, counts);
        var from = new Run(keys, items);
        var to = new Run(otherKeys.Span, otherItems.Span);
        bool isInPlace = true;
        for (int pass = 0; pass < PassCount; pass++)
        {
            Span<int> places = counts.AsSpan(pass * DigitCount, DigitCount);
            if (places[Digit(from.Keys[0], pass)] == keys.Length)
                continue;
            Move(in from, in to, places, pass);
            Run moved = to;
            to = from;
            from = moved;
            isInPlace = !isInPlace;
        }

        if (!isInPlace)
        {
            from.Keys.CopyTo(keys);
            from.Items.CopyTo(items);
        }

        ArrayPool<int>.Shared.Return(counts);
    }

    private static int Digit(ulong key, int pass) => (int)(key >> (pass * DigitBits)) & (DigitCount - 1);

    private static void Count(ReadOnlySpan<ulong> keys, Span<int> counts)
    {
        counts.Clear();
        foreach (ulong key in keys)
        {
            for (int pass = 0; pass < PassCount; pass++)
                counts[(pass * DigitCount) + Digit(key, pass)]++;
        }
    }

    // Places begin as counts of each digit, and become where its next key goes.
    private static void MakePlaces(Span<int> places)
    {
        int next = 0;
        foreach (ref int place in places)
            (place, next) = (next, next + place);
    }

    private static void Move(in Run from, in Run to, Span<int> places, int pass)
    {
        MakePlaces(places);
        for (int index = 0; index < from.Keys.Length; index++)
        {
            ulong key = from.Keys[index];
            int target = places[Digit(key, pass)]++;
            to.Keys[target] = key;
            to.Items[target] = from.Items[index];
        }
    }

    private readonly ref struct Run(Span<ulong> keys, Span<int> items)
    {
        public Span<ulong> Keys { get; } = keys;

        public Span<int> Items { get; } = items;
    }
}
