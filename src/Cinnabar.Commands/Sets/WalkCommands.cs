using Cinnabar.Commands.Keys;
using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Commands that walk over a set: SMEMBERS, SSCAN.</summary>
public static class WalkCommands
{
    private const long NsPerMember = 30;

    /// <summary>SMEMBERS key.</summary>
    public static Outcome SMembers(Execution execution)
    {
        if (!execution.TryFindKept(1, KeyType.Set, out EntryView entry))
            return Outcome.Done;
        SetView set = execution.Sets.View(entry);
        long count = set.Count;
        if (execution.MustLeaveKeys(count * NsPerMember))
            return Outcome.OffLoopWithoutKeys;
        execution.Reply.SetHeader(count);
        var visitor = new ReplyingVisitor(execution);
        set.VisitAll(ref visitor);
        return Outcome.Done;
    }

    /// <summary>SSCAN key cursor [MATCH pattern] [COUNT count].</summary>
    public static Outcome SScan(Execution execution)
    {
        if (!MemberScan.TryBegin(execution, KeyType.Set, out ulong cursor, out EntryView entry))
            return Outcome.Done;
        ScanOptions options = default;
        if (!options.TryReadOfMembers(execution, 3))
            return Outcome.Done;
        SetView set = execution.Sets.View(entry);
        if (execution.MustLeaveKeys(Math.Min(options.Count, set.Count) * NsPerMember))
            return Outcome.OffLoopWithoutKeys;
        // The cursor stands before the members, and is known after them.
        execution.Reply.ArrayHeader(2);
        var counter = default(NothingVisitor);
        ulong next = set.Scan(cursor, options.Count, ref counter);
        execution.Reply.BulkInteger((long)next);
        var visitor = new ReplyingVisitor(execution, options.PatternIndex);
        DeferredHeader header = execution.Reply.BeginDeferred();
        ulong end = set.Scan(cursor, options.Count, ref visitor);
        Debug.Assert(end == next, "the second walk ends elsewhere");
        execution.Reply.EndDeferredArray(in header, visitor.Count);
        return Outcome.Done;
    }

    private struct NothingVisitor : ISetVisitor
    {
        public readonly void Visit(in SetMember member)
        {
        }
    }
}
