// Counts how often each value occurs among registers of a byte each.
//
// A table of counters would take a load, an addition and a store for each register, many of them to the
// counter that was just stored to. Instead: find the smallest and the largest value (they are seldom more
// than 25 apart), then go over the registers once for eight values, compare a vector with each of the eight,
// and subtract the outcomes (-1 where equal) from eight vectors of byte counters. Where nearly all registers
// are 0, as of a few elements, one looks for those that are not.

namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>How many registers have each value.</summary>
internal static class RegisterHistogram
{
    /// <summary>Counters of a histogram: values are of 6 bits.</summary>
    internal const int Length = 64;

    private const int ValuesPerPass = 8;
    private const int VectorsPerSumMax = byte.MaxValue;

    // So many registers a value that is not 0: then it pays to look for these alone.
    private const int SparseGapMin = 256;
    private const int SampleCount = 4;

    /// <summary>Adds to the counters.</summary>
    /// <param name="registers">Values below <see cref="Length"/>.</param>
    /// <param name="histogram">A counter for each value.</param>
    internal static void CountInto(ReadOnlySpan<byte> registers, Span<int> histogram)
    {
        int count = 0;
        int at = 0;
        for (; count < SampleCount || at >= count * SparseGapMin; count++)
        {
            int zeroes = registers[at..].IndexOfAnyExcept((byte)0);
            histogram[0] += zeroes < 0 ? registers.Length - at : zeroes;
            if (zeroes < 0) return;
            at += zeroes;
            histogram[registers[at++]]++;
            if (at == registers.Length) return;
        }
        CountAll(registers[at..], histogram);
    }

    private static void CountAll(ReadOnlySpan<byte> registers, Span<int> histogram)
    {
        ReadOnlySpan<Vector<byte>> vectors = MemoryMarshal.Cast<byte, Vector<byte>>(registers);
        foreach (byte value in registers[(vectors.Length * Vector<byte>.Count)..]) histogram[value]++;
        (int min, int max) = Range(vectors);
        Span<int> counts = stackalloc int[ValuesPerPass];
        for (int value = min; value <= max; value += ValuesPerPass)
        {
            counts.Clear();
            for (int start = 0; start < vectors.Length; start += VectorsPerSumMax)
            {
                int count = Math.Min(VectorsPerSumMax, vectors.Length - start);
                CountEight(vectors.Slice(start, count), value, counts);
            }
            int valueCount = Math.Min(ValuesPerPass, Length - value);
            for (int index = 0; index < valueCount; index++) histogram[value + index] += counts[index];
        }
    }

    private static (int Min, int Max) Range(ReadOnlySpan<Vector<byte>> vectors)
    {
        if (vectors.IsEmpty) return (0, -1);
        Vector<byte> mins = vectors[0];
        Vector<byte> maxes = mins;
        foreach (Vector<byte> vector in vectors)
        {
            mins = Vector.Min(mins, vector);
            maxes = Vector.Max(maxes, vector);
        }
        int min = mins[0];
        int max = maxes[0];
        for (int index = 1; index < Vector<byte>.Count; index++)
        {
            min = Math.Min(min, mins[index]);
            max = Math.Max(max, maxes[index]);
        }
        return (min, max);
    }

    // At most 255 vectors, so that no byte overflows.
    private static void CountEight(ReadOnlySpan<Vector<byte>> vectors, int value, Span<int> counts)
    {
        var first = new Vector<byte>((byte)value);
        Vector<byte> one = Vector<byte>.One;
        Vector<byte> v1 = first + one, v2 = v1 + one, v3 = v2 + one;
        Vector<byte> v4 = v3 + one, v5 = v4 + one, v6 = v5 + one, v7 = v6 + one;
        Vector<byte> c0 = default, c1 = default, c2 = default, c3 = default;
        Vector<byte> c4 = default, c5 = default, c6 = default, c7 = default;
        foreach (Vector<byte> vector in vectors)
        {
            c0 -= Vector.Equals(vector, first);
            c1 -= Vector.Equals(vector, v1);
            c2 -= Vector.Equals(vector, v2);
            c3 -= Vector.Equals(vector, v3);
            c4 -= Vector.Equals(vector, v4);
            c5 -= Vector.Equals(vector, v5);
            c6 -= Vector.Equals(vector, v6);
            c7 -= Vector.Equals(vector, v7);
        }
        counts[0] += Sum(c0);
        counts[1] += Sum(c1);
        counts[2] += Sum(c2);
        counts[3] += Sum(c3);
        counts[4] += Sum(c4);
        counts[5] += Sum(c5);
        counts[6] += Sum(c6);
        counts[7] += Sum(c7);
    }

    private static int Sum(Vector<byte> counters)
    {
        Vector.Widen(counters, out Vector<ushort> low, out Vector<ushort> high);
        return Vector.Sum(low + high);
    }
}
