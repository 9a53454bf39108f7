using System;
using Cinnabar.Keyspace.Entries;
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

    private static Outcome Sort(Execution execution, bool isReadOnly)
    {
        var options = new SortOptions();
        Outcome outcome = Outcome.Done;
        if (options.TryRead(execution, isReadOnly)
            && !(execution.IsBuilt && SortTarget.TryStoreBuilt(execution, options.StoreIndex))
            && SortSource.TryFind(execution, out EntryView entry, out long count))
            outcome = Run(execution, ref options, entry, count);
        options.Dispose();
        return outcome;
    }

    private static Outcome Run(Execution execution, ref SortOptions options, EntryView entry, long count)
    {
        bool isSet = !entry.IsMissing && entry.Type == KeyType.Set;
        // What is stored must not hang on the order that a set happens to have.
        if (options.IsUnsorted && isSet && options.StoreIndex != 0)
            options.SortByText();
        RankRange range = RangeOf(in options, count);
        if (range.Count * options.GetCount > Execution.ReplyCountMax)
        {
            execution.Reply.Error(Errors.CountOutOfRange);
            return Outcome.Done;
        }

        long costNs = CostNs(in options, count, range.Count);
        if (!TryBegin(execution, in options, ref entry, costNs))
            return Outcome.OffLoop;
        if (TrySortIntegers(execution, in options, entry, count, range))
            return Outcome.Done;

        // Where the order is the source's, no more is copied than asked for.
        bool isCut = options.IsUnsorted && !isSet;
        RankRange copied = isCut ? range : new RankRange(0, count);
        var run = new SortRun(execution, entry, copied, isReverse: isCut && options.IsDescending);
        if (isCut)
            range = range with { First = 0 };
        if (options.IsUnsorted || run.TryReadKeys(in options))
            Answer(execution, in options, ref run, range);
        else
            execution.Reply.Error("ERR One or more scores can't be converted into double"u8);
        run.Dispose();
        return Outcome.Done;
    }

    private static void Answer(
        Execution execution, in SortOptions options, ref SortRun run, RankRange range)
    {
        bool isWhole = range.Count == run.Count;
        if (isWhole)
            ReleaseKeys(execution, in options, ref run, range);
        if (!options.IsUnsorted)
            run.Sort(in options);
        if (!isWhole)
            ReleaseKeys(execution, in options, ref run, range);
        if (options.StoreIndex != 0)
            SortTarget.StoreOrReturn(execution, options.StoreIndex, run.ToList(range, options.Gets));
        else
            run.Reply(range, options.Gets);
    }

    // Lets go of the keys that BY and GET have been looked up in.
    private static void ReleaseKeys(
        Execution execution, in SortOptions options, ref SortRun run, RankRange range)
    {
        if (execution.MustFinishHere && ReadsOthers(in options) && options.StoreIndex == 0
            && (options.GetCount == 0 || run.TryTell(range, options.Gets)))
            execution.ReleaseKeys(run.Count * ElementCostNs);
    }

    private static bool TrySortIntegers(
        Execution execution, in SortOptions options, EntryView entry, long count, RankRange range)
    {
        if (options.IsUnsorted || options.HasBy || options.IsAlpha || options.GetCount != 0
            || range.Count == 0
            || !SortIntegers.TryCopy(execution, entry, count, out SortIntegers sort))
            return false;
        sort.Sort(execution.Keys);
        if (options.StoreIndex != 0)
            SortTarget.StoreOrReturn(
                execution, options.StoreIndex, sort.ToList(execution, range, options.IsDescending));
        else
            sort.Reply(execution, range, options.IsDescending);
        sort.Dispose();
        return true;
    }

    // What is sorted is kept, if no other keys are read: neither its copying nor the sorting, nor the making
    // of what is stored, has anybody wait.
    private static bool TryBegin(
        Execution execution, in SortOptions options, ref EntryView entry, long costNs)
    {
        if (ReadsOthers(in options))
            return !execution.MustLeaveLoop(costNs);
        if (execution.MustFinishHere)
            entry = execution.Keep(1, entry);
        return options.StoreIndex == 0
            ? !execution.MustLeaveKeys(costNs)
            : StoreSteps.TryBegin(execution, costNs);
    }

    private static bool ReadsOthers(in SortOptions options) =>
        (options.HasBy && !options.IsUnsorted) || options.GetCount != 0;

    private static RankRange RangeOf(in SortOptions options, long count)
    {
        long first = Math.Clamp(options.Offset, 0, count);
        long left = count - first;
        return new RankRange(first, options.CountMax < 0 ? left : Math.Min(options.CountMax, left));
    }

    private static long CostNs(in SortOptions options, long count, long toldCount)
    {
        if (options.IsUnsorted)
            count = toldCount;
        long lookupCount = (options.HasBy ? count : 0) + (toldCount * options.GetCount);
        return (count * ElementCostNs) + (lookupCount * LookupCostNs);
    }
}
