// SORT copies the elements (ByteStrings), gives each a key of 64 bits (SortKeys), sorts these (SortedOrder),
// and replies or stores. So nothing of the key space is referred to while other keys are read for BY and GET,
// or while STORE replaces a key that may be what was sorted.
//
// BY and GET may name any keys, so all stripes are held while these are read: the reply is a consistent
// snapshot. The slow lane holds them no longer than that: it copies what GET names, before the sort where the
// reply has all of it, and does the rest without keys.

using Cinnabar.Keyspace.Lists;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Sorting;

/// <summary>One SORT: its elements and the order they get.</summary>
internal struct SortRun : IDisposable
{
    private const int AheadGetCountMax = 4;

    // Longer values are replied from where they lie, and so with all keys held.
    private const long ReadLengthMax = StringStore.InlineLengthMax;

    private readonly Execution _execution;
    private readonly SortLookup _lookup;
    private readonly SortedOrder _order;
    private ByteStrings _elements;
    private ByteStrings _found;

    // What GET has found, in the order of the elements or in that of the result.
    private ByteStrings _read;
    private bool _isReadByElement;

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
        _read = new ByteStrings(execution.Keys.Keyspace.Scratch);
        if (!entry.IsMissing)
            SortSource.Copy(execution, entry, range, isReverse, ref _elements);
        _order = new SortedOrder(_elements.Count, execution.Keys);
    }

    /// <summary>Number of elements.</summary>
    public readonly int Count => _elements.Count;

    /// <summary>Finds what the elements are sorted by.</summary>
    /// <returns>False where one has no number to be compared.</returns>
    public bool TryReadKeys(in SortOptions options) =>
        options.HasBy ? TryReadKeys(options.By, options.IsAlpha) : TryReadKeys(options.IsAlpha);

    /// <summary>Finds what GET asks for of a range of the elements, as they are ordered now, to be replied
    /// when the keys are not held any more.</summary>
    /// <param name="range">The range; all, before they are sorted.</param>
    /// <param name="gets">What GET asks for.</param>
    /// <returns>False where something is too long for that.</returns>
    public bool TryReadGets(RankRange range, ReadOnlySpan<KeyPattern> gets)
    {
        Debug.Assert(_read.Count == 0, "it reads once");
        _isReadByElement = range.Count == Count;
        if (TryCopy(_order.Indexes.Slice((int)range.First, (int)range.Count), gets, ReadLengthMax, ref _read))
            return true;
        _read.Dispose();
        return false;
    }

    /// <summary>Sorts the elements.</summary>
    public void Sort(in SortOptions options)
    {
        // Elements that are compared by other texts, and these are the same, keep their order either way.
        bool isByText = options.HasBy && options.IsAlpha;
        int keyLength = options.IsAlpha ? sizeof(ulong) : 0;
        if (isByText)
            _order.Sort(in _found, keyLength, isTieReversed: options.IsDescending);
        else
            _order.Sort(in _elements, keyLength, isTieReversed: false);
        if (options.IsDescending)
            _order.Indexes.Reverse();
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

            bool isCopied =
                _lookup.TryCopy(in pattern, _elements[index], hash, long.MaxValue, ref _found);
            Debug.Assert(isCopied && _found.Count == index + 1, "each element has a text");
            keys[index] = SortKeys.Of(_found[index]);
        }

        return true;
    }

    /// <summary>Replies the elements of a range, or what GET asks for.</summary>
    public readonly void Reply(RankRange range, ReadOnlySpan<KeyPattern> gets)
    {
        Debug.Assert(_read.Count == 0
            || _read.Count == (_isReadByElement ? Count : range.Count) * gets.Length, "it read other ranks");
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
                if (_read.Count > 0)
                {
                    ReplyRead(((_isReadByElement ? indexes[rank] : rank) * gets.Length) + at);
                    continue;
                }

                ulong hash = HashOf(in gets[at], indexes, rank, PartOf(hashes, at));
                _lookup.Reply(in gets[at], element, hash);
            }
        }
    }

    /// <summary>Makes a list of the elements of a range, or of what GET asks for.</summary>
    public DetachedList ToList(RankRange range, ReadOnlySpan<KeyPattern> gets)
    {
        long count = range.Count * Math.Max(gets.Length, 1);
        Span<int> indexes = _order.Indexes.Slice((int)range.First, (int)range.Count);
        _found.Dispose();
        if (!gets.IsEmpty)
            TryCopy(indexes, gets, long.MaxValue, ref _found);
        Debug.Assert(gets.IsEmpty || _found.Count == count, "each GET has found something or nothing");
        DetachedList list = DetachedList.Create(_execution.Keys.Keyspace);
        for (int rank = 0; rank < count; rank++)
            list.Push(gets.IsEmpty ? _elements[indexes[rank]] : _found[rank]);

        return list;
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        _elements.Dispose();
        _found.Dispose();
        _read.Dispose();
        _order.Dispose();
    }

    private readonly void ReplyRead(int index)
    {
        if (_read.IsMissing(index))
            _execution.Reply.Null();
        else
            _execution.Reply.Bulk(_read[index]);
    }

    // What GET asks for may be at the key that it is stored under.
    private readonly bool TryCopy(ReadOnlySpan<int> indexes, ReadOnlySpan<KeyPattern> gets, long lengthMax,
        ref ByteStrings target)
    {
        Span<ulong> hashes = stackalloc ulong[SortLookup.GroupCount * AheadGetCountMax];
        for (int rank = 0; rank < indexes.Length; rank++)
        {
            ReadOnlySpan<byte> element = _elements[indexes[rank]];
            for (int at = 0; at < gets.Length; at++)
            {
                ulong hash = HashOf(in gets[at], indexes, rank, PartOf(hashes, at));
                if (!_lookup.TryCopy(in gets[at], element, hash, lengthMax, ref target))
                    return false;
            }
        }

        return true;
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
            int count = Math.Min(SortLookup.GroupCount, indexes.Length - rank);
            _lookup.LoadAhead(in pattern, in _elements, indexes.Slice(rank, count), hashes);
        }

        return hashes[place];
    }

    // The hashes of one of several patterns; those of the first few are noted.
    private static Span<ulong> PartOf(Span<ulong> hashes, int pattern) => pattern >= AheadGetCountMax
        ? default : hashes.Slice(pattern * SortLookup.GroupCount, SortLookup.GroupCount);
}
