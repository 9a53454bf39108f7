using Cinnabar.Commands.Keys;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>HSCAN.</summary>
public static class HashScanCommands
{
    /// <summary>HSCAN key cursor [MATCH pattern] [COUNT count] [NOVALUES].</summary>
    public static Outcome HScan(Execution execution)
    {
        if (!MemberScan.TryBegin(execution, KeyType.Hash, out ulong cursor, out EntryView entry))
            return Outcome.Done;
        HashView hash = HashStore.View(execution.Keys, entry);
        HashScanOptions options = default;
        if (!options.TryRead(execution, 3))
            return Outcome.Done;
        if (execution.MustLeaveKeys(2 * HashReplies.FieldNs * Math.Min(options.Count, hash.Count)))
            return Outcome.OffLoopWithoutKeys;
        Reply(execution, hash, cursor, in options);
        return Outcome.Done;
    }

    // The cursor stands before the fields and is known after them, so the walk is made twice.
    private static void Reply(Execution execution, HashView hash, ulong cursor, in HashScanOptions options)
    {
        var finder = default(CursorFinder);
        ulong next = hash.IsPacked ? 0 : hash.Scan(cursor, options.Count, ref finder);
        execution.Reply.ArrayHeader(2);
        execution.Reply.BulkInteger((long)next);
        var visitor = new ReplyingVisitor(execution, options);
        DeferredHeader header = execution.Reply.BeginDeferred();
        ulong end = hash.Scan(cursor, options.Count, ref visitor);
        Debug.Assert(end == next, "the second walk ends elsewhere");
        execution.Reply.EndDeferredArray(in header, visitor.Count);
    }

    private readonly struct CursorFinder : IFieldViewVisitor
    {
        public void Visit(in FieldView field)
        {
        }
    }

    private struct ReplyingVisitor(Execution execution, HashScanOptions options) : IFieldViewVisitor
    {
        public long Count { get; private set; }

        public void Visit(in FieldView field)
        {
            if (!options.Matches(execution, field.Name))
                return;
            HashReplies.Text(execution, field.Name);
            Count++;
            if (options.IsWithoutValues)
                return;
            HashReplies.Text(execution, field.Value);
            Count++;
        }
    }
}
