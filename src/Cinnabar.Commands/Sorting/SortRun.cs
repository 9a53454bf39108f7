// SORT copies the elements (ByteStrings), gives each a key of 64 bits (SortKeys), sorts these (SortedOrder),
// and replies or stores. So nothing of the key space is referred to while other keys are read for BY and GET,
// or while STORE replaces a key that may be what was sorted.
using System;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Commands.Sorting;

/// <summary>One SORT: its elements and the order they get.</summary>
internal struct SortRun : IDisposable
{
    private const int AheadGetCountMax = 4;

    private readonly Execution _execution;
    private readonly SortLookup _lookup;
    private readonly SortedOrder _order;
    private ByteStrings _elements;
    private ByteStrings _found;

    /// <summary>Begins a run.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="entry">What is sorted; may be missing.</param>
    /// <param name="range">Which elements of a list or a sorted set.</param>
    /// <param name="isReverse">Whether these count from the end, and come from there.</param>
    public SortRun(Execution execution, EntryView entry, RankRange range, bool isReverse)
    {
        _execution = execution;
        _lookup = new SortLookup(execution);
        _elements = new ByteStrings(execution.Keys.Keyspace.Scratch);
        _found = new ByteStrings(execution.Keys.Keyspace.Scratch);
        if (!entry.IsMissing)
            SortSource.Copy(execution, entry, range, isReverse, ref _elements);
        _order = new SortedOrder(_elements.Count, execution.Keys);
    }

    /// <summary>Sorts the elements.</summary>
    /// <returns>False where one has no number to be compared.</returns>
    public bool TrySort(in SortOptions options)
    {
        if (!(options.HasBy ? TryReadKeys(options.By, options.IsAlpha) : TryReadKeys(options.IsAlpha)))
            return false;

        // Elements that are compared by other texts, and these are the same, keep their order either way.
        bool isByText = options.HasBy && options.IsAlpha;
        int keyLength = options.IsAlpha ? sizeof(ulong) : 0;
        if (isByText)
            _order.Sort(in _found, keyLength, isTieReversed: options.IsDescending);
        else
            _order.Sort(in _elements, keyLength, isTieReversed: false);
        if (options.IsDescending)
            _order.Indexes.Reverse();
        return true;
    }

    private readonly bool TryReadKeys(bool isAlpha)
    {
        Span<ulong> keys = _order.Keys;
        for (int index = 0; index < keys.Length; index++)
        {
            ReadOnlySpan<byte> text = _elements[index];
            double number = 0;
            if (!isAlpha && !SortKeys.TryParse(text, out number))
                return false;
            keys[index] = isAlpha ? SortKeys.Of(text) : SortKeys.Of(number);
            _execution.Keys.LongWork?.Breathe(index);
        }

        return true;
    }

    private bool TryReadKeys(KeyPattern pattern, bool isAlpha)
    {
        Span<ulong> hashes = stackalloc ulong[SortLookup.GroupCount];
        Span<ulong> keys = _order.Keys;
        for (int index = 0; index < keys.Length; index++)
        {
            ulong hash = HashOf(in pattern, _order.Indexes, index, hashes);
            if (!isAlpha)
            {
                if (!_lookup.TryNumber(in pattern, _elements[index], hash, out double number))
                    return false;
                keys[index] = SortKeys.Of(number);
                continue;
            }

            if (!_lookup.TryCopy(in pattern, _elements[index], hash, ref _found))
                _found.AddMissing();
            keys[index] = SortKeys.Of(_found[index]);
        }

        return true;
    }

    /// <summary>Replies the elements of a range, or what GET asks for.</summary>
    public readonly void Reply(RankRange range, ReadOnlySpan<KeyPattern> gets)
    {
        _execution.Reply.ArrayHeader(range.Count * Math.Max(gets.Length, 1));
        Span<int> indexes = _order.Indexes.Slice((int)range.First, (int)range.Count);
        Span<ulong> hashes = stackalloc ulong[SortLookup.GroupCount * AheadGetCountMax];
        for (int rank = 0; rank < indexes.Length; rank++)
        {
            ReadOnlySpan<byte> element = _elements[indexes[rank]];
            if (gets.IsEmpty)
                _execution.Reply.Bulk(element);
            for (int at = 0; at < gets.Length; at++)
            {
                ulong hash = HashOf(in gets[at], indexes, rank, PartOf(hashes, at));
                _lookup.Reply(in gets[at], element, hash);
            }
        }
    }

    /// <summary>Stores the elements of a range, or what GET asks for, as a list.</summary>
    public void Store(RankRange range, in SortOptions options)
    {
        Key target = _execution.HashedKey(options.StoreIndex);
        ReadOnlySpan<KeyPattern> gets = options.Gets;
        long count = range.Count * Math.Max(gets.Length, 1);
        Span<int> indexes = _order.Indexes.Slice((int)range.First, (int)range.Count);
        if (!gets.IsEmpty)
            CopyFound(indexes, gets);
        if (count == 0)
        {
            if (_execution.Keys.Remove(in target))
                _execution.Keys.Changed(in target, KeyEvent.Deleted);
        }
        else
        {
            // With no slot, the first element makes the list in place of whatever the key has.
            var list = new ListEditor(_execution.Keys, target, default);
            for (int rank = 0; rank < count; rank++)
                list.Push(ListEnd.Tail, gets.IsEmpty ? _elements[indexes[rank]] : _found[rank]);
            _execution.Keys.Changed(in target, KeyEvent.SortStore);
            _execution.Keys.CountChanges(count - 1);
        }

        _execution.Reply.Integer(count);
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        _elements.Dispose();
        _found.Dispose();
        _order.Dispose();
    }

    // What GET asks for may be at the key that it is stored under.
    private void CopyFound(ReadOnlySpan<int> indexes, ReadOnlySpan<KeyPattern> gets)
    {
        _found.Dispose();
        Span<ulong> hashes = stackalloc ulong[SortLookup.GroupCount * AheadGetCountMax];
        for (int rank = 0; rank < indexes.Length; rank++)
        {
            for (int at = 0; at < gets.Length; at++)
            {
                ulong hash = HashOf(in gets[at], indexes, rank, PartOf(hashes, at));
                if (!_lookup.TryCopy(in gets[at], _elements[indexes[rank]], hash, ref _found))
                    _found.Add(0);
            }
        }
    }

    // The hash of the key that a pattern names for an element, or 0; before the first element of each group
    // the keys of all of it are loaded ahead.
    private readonly ulong HashOf(
        in KeyPattern pattern, ReadOnlySpan<int> indexes, int rank, Span<ulong> hashes)
    {
        if (hashes.IsEmpty)
            return 0;
        int place = rank % SortLookup.GroupCount;
        if (place == 0)
        {
            _execution.Keys.LongWork?.Breathe();
            int count = Math.Min(SortLookup.GroupCount, indexes.Length - rank);
            _lookup.LoadAhead(in pattern, in _elements, indexes.Slice(rank, count), hashes);
        }

        return hashes[place];
    }

    // The hashes of one of several patterns; those of the first few are noted.
    private static Span<ulong> PartOf(Span<ulong> hashes, int pattern) => pattern >= AheadGetCountMax
        ? default : hashes.Slice(pattern * SortLookup.GroupCount, SortLookup.GroupCount);
}
