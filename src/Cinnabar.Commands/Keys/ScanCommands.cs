using System;
using Cinnabar.Keyspace;
using Cinnabar.Resp;

namespace Cinnabar.Commands.Keys;

/// <summary>Commands that walk over the keys of a database: KEYS, SCAN.</summary>
public static class ScanCommands
{
    private const long NsPerKey = 100;
    private const int PatternIndexOfKeys = 1;

    /// <summary>KEYS pattern.</summary>
    public static void Keys(Execution execution)
    {
        if (execution.TryMoveToSlowLane(NsPerKey * CountOf(execution)))
            return;
        ScanOptions options = default;
        options.UsePattern(execution, PatternIndexOfKeys);
        ReplyKeys(execution, in options, 0, 0);
    }

    /// <summary>SCAN cursor [MATCH pattern] [COUNT count] [TYPE type].</summary>
    public static void Scan(Execution execution)
    {
        if (!ScanCursor.TryParse(execution.Argument(1), out ulong cursor))
        {
            execution.Reply.Error("ERR invalid cursor"u8);
            return;
        }

        ScanOptions options = default;
        if (!options.TryRead(execution, 2))
            return;
        if (execution.TryMoveToSlowLane(NsPerKey * Math.Min(options.Count, CountOf(execution))))
            return;
        ulong next = KeyScan.Next(execution.Keys, cursor, options.Count, execution.StripeEnd);
        execution.Reply.ArrayHeader(2);
        execution.Reply.BulkInteger((long)next);
        ReplyKeys(execution, in options, cursor, next);
    }

    /// <summary>
    /// Chooses the stripes that a SCAN needs: the one that its cursor names, and as many after it as are
    /// likely to have the keys that it asks for. Where they have fewer, the walk's step is shorter.
    /// </summary>
    public static void ChooseStripes(Execution execution, int database)
    {
        if (!ScanCursor.TryParse(execution.Argument(1), out ulong cursor))
            cursor = 0;
        long count = ScanOptions.PeekCount(execution, 2);
        int first = KeyScan.StripeOf(execution.Keys.Keyspace, cursor);
        execution.UseStripes(first, KeyScan.LikelyEnd(execution.Keys.Keyspace, database, cursor, count));
    }

    private static long CountOf(Execution execution) =>
        execution.Keys.Keyspace.Count(execution.Keys.Database);

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
