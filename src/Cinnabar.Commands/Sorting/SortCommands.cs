using Cinnabar.Keyspace.Lists;
using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.Sorting;

/// <summary>SORT and SORT_RO.</summary>
public static class SortCommands
{
    private const long ElementCostNs = 150;
    private const long LookupCostNs = 250;

    /// <summary>
    /// SORT key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA] [STORE destination].
    /// </summary>
    public static Outcome Sort(Execution execution) => Sort(execution, isReadOnly: false);

    /// <summary>SORT_RO: as SORT, without STORE.</summary>
    public static Outcome SortReadOnly(Execution execution) => Sort(execution, isReadOnly: true);

    /// <summary>Makes the list that a SORT stores, of no key yet.</summary>
    /// <returns>Null where an error was replied.</returns>
    internal static DetachedList? MakeList(
        Execution execution, SortOptions options, EntryView entry, long count)
    {
        Debug.Assert(options.StoreIndex > 0, "there is no destination");
        SortUnorderedSet(execution, ref options, entry);
        RankRange range = RangeOf(in options, count);
        if (TryCopyIntegers(execution, in options, entry, range, out SortIntegers integers))
        {
            integers.Sort(execution.Keys);
            DetachedList sorted = integers.ToList(execution, range, options.IsDescending);
            integers.Dispose();
            return sorted;
        }

        if (!TryOpen(execution, in options, entry, ref range, out SortRun run))
            return null;
        if (!options.IsUnsorted)
            run.Sort(in options);
        DetachedList list = run.ToList(range, options.Gets);
        run.Dispose();
        return list;
    }

    /// <summary>Begins a run: copies the elements, and finds what they are sorted by.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="options">Its options.</param>
    /// <param name="entry">What is sorted; may be missing.</param>
    /// <param name="range">Those that are asked for, of all; becomes the range of the run.</param>
    /// <param name="run">To be disposed of.</param>
    /// <returns>False where an error was replied.</returns>
    internal static bool TryOpen(Execution execution, in SortOptions options, EntryView entry,
        ref RankRange range, out SortRun run)
    {
        // Where the order is the source's, no more is copied than asked for.
        bool isCut = options.IsUnsorted && !(!entry.IsMissing && entry.Type == KeyType.Set);
        RankRange copied = isCut ? range : new RankRange(0, SortSource.CountOf(execution, entry));
        run = new SortRun(execution, entry, copied, isReverse: isCut && options.IsDescending);
        if (isCut)
            range = range with { First = 0 };
        if (options.IsUnsorted || run.TryReadKeys(in options))
            return true;
        execution.Reply.Error("ERR One or more scores can't be converted into double"u8);
        run.Dispose();
        return false;
    }

    /// <summary>The elements that LIMIT asks for.</summary>
    internal static RankRange RangeOf(in SortOptions options, long count)
    {
        Debug.Assert(count >= 0, "a negative number of elements");
        long first = Math.Clamp(options.Offset, 0, count);
        long left = count - first;
        return new RankRange(first, options.CountMax < 0 ? left : Math.Min(options.CountMax, left));
    }

    private static Outcome Sort(Execution execution, bool isReadOnly)
    {
        var options = new SortOptions();
        Outcome outcome = Outcome.Done;
        if (options.TryRead(execution, isReadOnly)
            && SortSource.TryFind(execution, out EntryView entry, out long count))
            outcome = Sort(execution, ref options, entry, count);
        options.Dispose();
        return outcome;
    }

    private static Outcome Sort(Execution execution, ref SortOptions options, EntryView entry, long count)
    {
        SortOptions given = options;
        SortUnorderedSet(execution, ref options, entry);
        RankRange range = RangeOf(in options, count);
        if (range.Count * options.GetCount > Execution.ReplyCountMax)
        {
            execution.Reply.Error(Errors.CountOutOfRange);
            return Outcome.Done;
        }

        long costNs = CostNs(in options, count, range.Count);
        bool isStored = options.StoreIndex != 0;
        // What BY and GET name is not kept, and so cannot be compared with what there is when it is stored.
        if (options.ReadsOthers && isStored ? execution.MustLeaveLoop(costNs)
            : !options.ReadsOthers && !isStored && execution.MustLeaveKeys(costNs))
            return isStored ? Outcome.OffLoop : Outcome.OffLoopWithoutKeys;
        if (options.ReadsOthers != isStored && execution.MustLeaveKeys(costNs))
        {
            // What it holds is the steps' now.
            options = default;
            return execution.StoreLater(new SortSteps(given));
        }

        if (!isStored)
            Reply(execution, in options, entry, range);
        else if (MakeList(execution, options, entry, count) is { } list)
            SortTarget.Store(execution, options.StoreIndex, list);
        return Outcome.Done;
    }

    // What is stored must not hang on the order that a set happens to have; nor what a script does.
    private static void SortUnorderedSet(Execution execution, ref SortOptions options, EntryView entry)
    {
        bool isSet = !entry.IsMissing && entry.Type == KeyType.Set;
        if (options.IsUnsorted && isSet && (options.StoreIndex != 0 || execution.IsInScript))
            options.SortByText();
    }

    private static void Reply(
        Execution execution, in SortOptions options, EntryView entry, RankRange range)
    {
        if (TryCopyIntegers(execution, in options, entry, range, out SortIntegers integers))
        {
            integers.Sort(execution.Keys);
            integers.Reply(execution, range, options.IsDescending);
            integers.Dispose();
            return;
        }

        if (!TryOpen(execution, in options, entry, ref range, out SortRun run))
            return;
        if (!options.IsUnsorted)
            run.Sort(in options);
        run.Reply(range, options.Gets);
        run.Dispose();
    }

    private static bool TryCopyIntegers(Execution execution, in SortOptions options, EntryView entry,
        RankRange range, out SortIntegers integers)
    {
        integers = default;
        return !options.IsUnsorted && !options.HasBy && !options.IsAlpha && options.GetCount == 0
            && range.Count != 0
            && SortIntegers.TryCopy(execution, entry, SortSource.CountOf(execution, entry), out integers);
    }

    private static long CostNs(in SortOptions options, long count, long toldCount)
    {
        if (options.IsUnsorted)
            count = toldCount;
        long lookupCount = (options.HasBy ? count : 0) + (toldCount * options.GetCount);
        return (count * ElementCostNs) + (lookupCount * LookupCostNs);
    }
}
