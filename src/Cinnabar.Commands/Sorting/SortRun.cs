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
    private readonly Execution _execution;
    private readonly SortLookup _lookup;
    private readonly SortedOrder _order;
    private ByteStrings _elements = new();
    private ByteStrings _found = new();

    /// <summary>Begins a run.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="entry">What is sorted; may be missing.</param>
    /// <param name="range">Which elements of a list or a sorted set.</param>
    /// <param name="isReverse">Whether these count from the end, and come from there.</param>
    public SortRun(Execution execution, EntryView entry, RankRange range, bool isReverse)
    {
        _execution = execution;
        _lookup = new SortLookup(execution);
        if (!entry.IsMissing)
            SortSource.Copy(execution, entry, range, isReverse, ref _elements);
        _order = new SortedOrder(_elements.Count);
    }

    /// <summary>Sorts the elements.</summary>
    /// <returns>False where one has no number to be compared.</returns>
    public bool TrySort(in SortOptions options)
    {
        Span<ulong> keys = _order.Keys;
        for (int index = 0; index < keys.Length; index++)
        {
            ReadOnlySpan<byte> text = _elements[index];
            if (options.HasBy)
            {
                if (!_lookup.TryCopy(options.By, text, ref _found))
                    _found.AddMissing();
                text = _found[index];
            }

            double number = 0;
            if (!options.IsAlpha && !SortKeys.TryParse(text, out number))
                return false;
            keys[index] = options.IsAlpha ? SortKeys.Of(text) : SortKeys.Of(number);
        }

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

    /// <summary>Replies the elements of a range, or what GET asks for.</summary>
    public readonly void Reply(RankRange range, ReadOnlySpan<KeyPattern> gets)
    {
        _execution.Reply.ArrayHeader(range.Count * Math.Max(gets.Length, 1));
        foreach (int index in _order.Indexes.Slice((int)range.First, (int)range.Count))
        {
            ReadOnlySpan<byte> element = _elements[index];
            if (gets.IsEmpty)
                _execution.Reply.Bulk(element);
            foreach (KeyPattern pattern in gets)
                _lookup.Reply(in pattern, element);
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
        foreach (int index in indexes)
        {
            foreach (KeyPattern pattern in gets)
            {
                if (!_lookup.TryCopy(in pattern, _elements[index], ref _found))
                    _found.Add(0);
            }
        }
    }
}
