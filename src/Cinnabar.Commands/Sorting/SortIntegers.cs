// Most sorts are of integers that are stored as integers: such a sort needs no texts. It orders the numbers
// themselves and formats each one when it writes the reply. So it fetches nothing from all over memory in the
// order of the result, which takes longer than the sort.
//
// Only numbers that a double holds exactly, since all are compared as doubles: where two numbers are the same
// double, Redis compares their texts. Equal numbers have the same text.

using Cinnabar.Keyspace.Lists;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Memory;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Sorting;

/// <summary>One SORT of nothing but integers, in memory of its own; ascending once they are sorted.</summary>
internal readonly struct SortIntegers : IDisposable
{
    private const long IntegerMax = 1L << 53;
    private const ulong Sign = 1UL << 63;

    private readonly Scratch<ulong> _keys;

    private SortIntegers(ScratchPool pool, int count) => _keys = new Scratch<ulong>(pool, count);

    private Span<ulong> Keys => _keys.Span;

    /// <summary>Copies what an entry holds, if it holds nothing else.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="entry">A list, a set or a sorted set; may be missing.</param>
    /// <param name="count">How many elements it has.</param>
    /// <param name="sort">To be disposed of.</param>
    public static bool TryCopy(Execution execution, EntryView entry, long count, out SortIntegers sort)
    {
        sort = default;
        if (count == 0 || entry.Type == KeyType.SortedSet)
            return false;
        sort = new SortIntegers(execution.Keys.Keyspace.Scratch, (int)count);
        bool areIntegers = entry.Type == KeyType.List
            ? TryCopyList(entry, sort.Keys)
            : TryCopySet(execution.Sets.View(entry), sort.Keys);
        if (!areIntegers)
        {
            sort.Dispose();
            return false;
        }

        return true;
    }

    /// <summary>Sorts them.</summary>
    public void Sort(KeyspaceAccess access) => RadixSort.Sort(Keys, access);

    /// <summary>Replies the integers of a range.</summary>
    public void Reply(Execution execution, RankRange range, bool isDescending)
    {
        Span<byte> digits = stackalloc byte[RedisNumber.Int64BytesMax];
        Debug.Assert(range.First >= 0 && range.End <= _keys.Length, "ranks behind the last number");
        execution.Reply.ArrayHeader(range.Count);
        for (long rank = range.First; rank < range.End; rank++)
            execution.Reply.Bulk(Text(rank, isDescending, digits));
    }

    /// <summary>Makes a list of the integers of a range.</summary>
    public DetachedList ToList(Execution execution, RankRange range, bool isDescending)
    {
        Span<byte> digits = stackalloc byte[RedisNumber.Int64BytesMax];
        DetachedList list = DetachedList.Create(execution.Keys.Keyspace);
        for (long rank = range.First; rank < range.End; rank++)
            list.Push(Text(rank, isDescending, digits));

        return list;
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose() => _keys.Dispose();

    private static bool TryCopyList(EntryView entry, Span<ulong> keys)
    {
        ListCursor cursor = entry.List.CursorAt(0);
        for (int index = 0; ;)
        {
            ListpackValue value = cursor.Current;
            if (!value.IsInteger || !TryKey(value.Integer, out keys[index]))
                return false;
            if (++index == keys.Length)
                return true;
            cursor.MoveNext();
        }
    }

    private static bool TryCopySet(SetView set, Span<ulong> keys)
    {
        int index = 0;
        foreach (SetMember member in set)
        {
            if (!member.IsInteger || !TryKey(member.Integer, out keys[index++]))
                return false;
        }

        Debug.Assert(index == keys.Length, "the set has as many members as it counts");
        return true;
    }

    // The keys are in the order of the integers.
    private static bool TryKey(long integer, out ulong key)
    {
        key = (ulong)integer ^ Sign;
        return integer is >= -IntegerMax and <= IntegerMax;
    }

    private ReadOnlySpan<byte> Text(long rank, bool isDescending, Span<byte> digits)
    {
        ulong key = Keys[(int)(isDescending ? _keys.Length - 1 - rank : rank)];
        return digits[..RedisNumber.FormatInt64((long)(key ^ Sign), digits)];
    }
}
