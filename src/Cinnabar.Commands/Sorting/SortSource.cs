using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Sorting;

/// <summary>The elements of a list, a set or a sorted set, for SORT.</summary>
internal static class SortSource
{
    /// <summary>Looks up what is sorted; replies the error where it cannot be.</summary>
    internal static bool TryFind(Execution execution, out EntryView entry, out long count)
    {
        count = 0;
        entry = execution.FindKept(1);
        if (!entry.IsMissing && entry.Type is not (KeyType.List or KeyType.Set or KeyType.SortedSet))
        {
            execution.Reply.Error(Errors.WrongType);
            return false;
        }

        count = CountOf(execution, entry);
        return true;
    }

    /// <summary>How many elements there are.</summary>
    internal static long CountOf(Execution execution, EntryView entry) => entry switch
    {
        { IsMissing: true } => 0,
        { Type: KeyType.List } => entry.List.Count,
        { Type: KeyType.Set } => execution.Sets.View(entry).Count,
        _ => execution.SortedSets.View(entry).Count,
    };

    /// <summary>Copies elements: of a list or a sorted set a range in their order, of a set all.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="entry">What is sorted.</param>
    /// <param name="range">The ranks, of what has such.</param>
    /// <param name="isReverse">Whether ranks count from the end.</param>
    /// <param name="elements">Receives the elements.</param>
    internal static void Copy(
        Execution execution, EntryView entry, RankRange range, bool isReverse, ref ByteStrings elements)
    {
        Debug.Assert(range.First >= 0 && range.End <= CountOf(execution, entry), "ranks behind the last");
        Debug.Assert(entry.Type != KeyType.Set || range.Count == CountOf(execution, entry), "a set is whole");
        if (range.Count <= 0)
            return;
        switch (entry.Type)
        {
            case KeyType.List:
                CopyList(entry, range, isReverse, ref elements);
                break;
            case KeyType.Set:
                foreach (SetMember member in execution.Sets.View(entry))
                {
                    if (member.IsInteger)
                        AddInteger(member.Integer, ref elements);
                    else
                        elements.Add(member.Text);
                }

                break;
            default:
                CopySortedSet(execution, entry, range, isReverse, ref elements);
                break;
        }
    }

    private static void CopyList(EntryView entry, RankRange range, bool isReverse, ref ByteStrings elements)
    {
        long rank = isReverse ? entry.List.Count - 1 - range.First : range.First;
        ListCursor cursor = entry.List.CursorAt(rank);
        for (long left = range.Count; ;)
        {
            ListpackValue value = cursor.Current;
            if (value.IsInteger)
                AddInteger(value.Integer, ref elements);
            else
                elements.Add(value.Text);
            if (--left == 0)
                return;
            if (isReverse)
                cursor.MoveBack();
            else
                cursor.MoveNext();
        }
    }

    private static void CopySortedSet(
        Execution execution, EntryView entry, RankRange range, bool isReverse, ref ByteStrings elements)
    {
        SortedSetView set = execution.SortedSets.View(entry);
        long first = isReverse ? set.Count - range.End : range.First;
        SortedSetWalk walk = set.Walk(range with { First = first }, isReverse);
        while (walk.MoveNext())
            elements.Add(walk.Member);
    }

    private static void AddInteger(long integer, ref ByteStrings elements)
    {
        Span<byte> digits = stackalloc byte[RedisNumber.Int64BytesMax];
        elements.Add(digits[..RedisNumber.FormatInt64(integer, digits)]);
    }
}
