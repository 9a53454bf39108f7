// Puts indexes in order by their keys (SortKeys). Keys that are numbers are sorted fast; indexes whose keys
// are the same come to stand together, and only these are compared with each other in full; where these are
// many, after a second sort by keys that are made from their texts.
using Cinnabar.Memory;

namespace Cinnabar.Commands.Sorting;

/// <summary>The order of things that are known by their index, in memory of its own.</summary>
internal struct SortedOrder : IDisposable
{
    private const int LongRunMin = 32;

    private readonly Scratch<ulong> _keys;
    private readonly Scratch<int> _indexes;
    private readonly int _count;
    private readonly KeyspaceAccess _access;

    /// <summary>Begins with the order in which things are.</summary>
    /// <param name="count">How many things there are.</param>
    /// <param name="access">Has memory for them.</param>
    public SortedOrder(int count, KeyspaceAccess access)
    {
        Debug.Assert(count >= 0, "a count");
        _count = count;
        _access = access;
        _keys = new Scratch<ulong>(access.Keyspace.Scratch, count);
        _indexes = new Scratch<int>(access.Keyspace.Scratch, count);
        Span<int> indexes = _indexes.Span;
        for (int index = 0; index < count; index++)
            indexes[index] = index;
    }

    /// <summary>The key of each thing, to be filled in before it is sorted, and no longer valid
    /// afterwards.</summary>
    public readonly Span<ulong> Keys => _keys.Span;

    /// <summary>The indexes in order.</summary>
    public readonly Span<int> Indexes => _indexes.Span;

    /// <summary>Sorts by the keys, ascending; of things with the same key the one that was first stays
    /// first.</summary>
    public readonly void Sort()
    {
        RadixSort.Sort(Keys, Indexes, _access);
        Sort(Comparer<int>.Default, 0, _count);
    }

    /// <summary>Sorts by the keys, ascending.</summary>
    /// <param name="texts">What decides between things with the same key, by their indexes.</param>
    /// <param name="offset">Bytes of the texts that are the same where the keys are.</param>
    /// <param name="isTieReversed">Whether, of things with the same text too, the one behind comes
    /// first.</param>
    public readonly void Sort(in ByteStrings texts, int offset, bool isTieReversed)
    {
        RadixSort.Sort(Keys, Indexes, _access);
        var byText = new ByteOrder(texts, isTieReversed);
        for (int start = 0; start < _count;)
        {
            int end = EndOfRun(start, _count);
            if (end - start > LongRunMin)
                SortLongRun(in texts, offset, byText, (start, end));
            else if (end - start > 1)
                Indexes[start..end].Sort(byText);
            start = end;
        }
    }

    // Many with the same key get keys from their texts.
    private readonly void SortLongRun(
        in ByteStrings texts, int offset, ByteOrder byText, (int Start, int End) run)
    {
        Span<ulong> keys = Keys[run.Start..run.End];
        Span<int> indexes = Indexes[run.Start..run.End];
        for (int index = 0; index < keys.Length; index++)
        {
            ReadOnlySpan<byte> text = texts[indexes[index]];
            keys[index] = SortKeys.Of(text[Math.Min(offset, text.Length)..]);
        }

        RadixSort.Sort(keys, indexes, _access);
        Sort(byText, run.Start, run.End);
    }

    private readonly void Sort(IComparer<int> ties, int start, int end)
    {
        while (start < end)
        {
            int runEnd = EndOfRun(start, end);
            if (runEnd - start > 1)
                Indexes[start..runEnd].Sort(ties);
            start = runEnd;
        }
    }

    private readonly int EndOfRun(int start, int end)
    {
        Debug.Assert(start < end && end <= _count, "no run begins there");
        Span<ulong> keys = Keys;
        ulong key = keys[start++];
        while (start < end && keys[start] == key)
            start++;
        return start;
    }

    /// <summary>Gives the memory back.</summary>
    public readonly void Dispose()
    {
        _keys.Dispose();
        _indexes.Dispose();
    }
}
