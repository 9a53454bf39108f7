namespace Cinnabar.Commands.Keys;

/// <summary>Commands that walk over the keys of a database: KEYS, SCAN.</summary>
public static class ScanCommands
{
    private const long NsPerKey = 100;
    private const int PatternIndexOfKeys = 1;

    /// <summary>KEYS pattern.</summary>
    public static Outcome Keys(Execution execution)
    {
        ScanOptions options = default;
        options.UsePattern(execution, PatternIndexOfKeys);
        bool isWalk = IsWalk(execution);
        long costNs = isWalk ? long.MaxValue : CostNs(execution, long.MaxValue);
        if (execution.MustLeaveLoop(costNs))
            return Outcome.OffLoop;
        if (isWalk)
            return Walk(execution, in options, execution.Walk ?? new KeyWalk(execution));
        ReplyKeys(execution, in options, 0, 0);
        return Outcome.Done;
    }

    /// <summary>SCAN cursor [MATCH pattern] [COUNT count] [TYPE type].</summary>
    public static Outcome Scan(Execution execution)
    {
        if (!ScanCursor.TryParse(execution.Argument(1), out ulong cursor))
        {
            execution.Reply.Error("ERR invalid cursor"u8);
            return Outcome.Done;
        }

        ScanOptions options = default;
        if (!options.TryRead(execution, 2))
            return Outcome.Done;
        bool isWalk = IsWalk(execution);
        long costNs = isWalk ? long.MaxValue : CostNs(execution, options.Count);
        if (execution.MustLeaveLoop(costNs))
            return Outcome.OffLoop;
        if (isWalk)
            return Walk(
                execution, in options, execution.Walk ?? new KeyWalk(execution, cursor, options.Count));
        Debug.Assert(KeyScan.StripeOf(execution.Keys.Keyspace, cursor) >= execution.StripeFirst
            && KeyScan.StripeOf(execution.Keys.Keyspace, cursor) < execution.StripeEnd, "it is not held");
        ulong next = KeyScan.Next(execution.Keys, cursor, options.Count, execution.StripeEnd);
        execution.Reply.ArrayHeader(2);
        execution.Reply.BulkInteger((long)next);
        ReplyKeys(execution, in options, cursor, next);
        return Outcome.Done;
    }

    /// <summary>Chooses the stripes that a KEYS needs: all; but none where there are many keys: then it
    /// takes one after the other in the slow lane.</summary>
    public static void ChooseStripesOfKeys(Execution execution)
    {
        if (CostNs(execution, long.MaxValue) > execution.LoopCostNsMax)
            execution.UseStripes(0, 0);
    }

    /// <summary>
    /// Chooses the stripes that a SCAN needs: the one that its cursor names, and as many after it as are
    /// likely to have the keys that it asks for. Where they have fewer, the walk's step is shorter. None, as
    /// for KEYS, where it asks for many.
    /// </summary>
    public static void ChooseStripes(Execution execution)
    {
        if (!ScanCursor.TryParse(execution.Argument(1), out ulong cursor))
            cursor = 0;
        long count = ScanOptions.PeekCount(execution, 2);
        if (CostNs(execution, count) > execution.LoopCostNsMax)
        {
            execution.UseStripes(0, 0);
            return;
        }

        int first = KeyScan.StripeOf(execution.Keys.Keyspace, cursor);
        execution.UseStripes(first, KeyScan.LikelyEnd(
            execution.Keys.Keyspace, execution.Keys.Database, cursor, count));
    }

    private static long CostNs(Execution execution, long countMax) =>
        NsPerKey * Math.Min(countMax, execution.Keys.Keyspace.Count(execution.Keys.Database));

    private static bool IsWalk(Execution execution) => execution.StripeEnd == 0;

    private static Outcome Walk(Execution execution, in ScanOptions options, KeyWalk walk)
    {
        Debug.Assert(execution.Place == ExecutionPlace.OffLoop, "a walk runs in the slow lane");
        // It holds no stripe when it is called for the first time.
        if (execution.Walk is null)
            execution.Walk = walk;
        else
        {
            var visitor = new ReplyingVisitor(execution, options);
            walk.Step(ref visitor);
            walk.Count += visitor.Count;
        }

        if (walk.StripeNext >= 0 && !execution.Reply.Sink.IsOverLimit)
            return Outcome.NextStripe(walk.StripeNext);
        walk.End();
        return Outcome.Done;
    }

    private static void ReplyKeys(Execution execution, in ScanOptions options, ulong cursor, ulong end)
    {
        var visitor = new ReplyingVisitor(execution, options);
        DeferredHeader header = execution.Reply.BeginDeferred();
        KeyScan.Visit(execution.Keys, cursor, end, ref visitor);
        execution.Reply.EndDeferredArray(in header, visitor.Count);
    }

    private struct ReplyingVisitor(Execution execution, ScanOptions options) : IKeyVisitor
    {
        public long Count { get; private set; }

        public void Visit(EntryView entry)
        {
            if (!options.Matches(execution, entry))
                return;
            execution.Reply.Bulk(entry.Key);
            Count++;
        }
    }
}
