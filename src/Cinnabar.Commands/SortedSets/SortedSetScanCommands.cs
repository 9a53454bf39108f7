using Cinnabar.Commands.Keys;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>ZSCAN: a walk over a sorted set in steps.</summary>
public static class SortedSetScanCommands
{
    private const long NsPerMember = 100;

    /// <summary>ZSCAN key cursor [MATCH pattern] [COUNT count] [NOSCORES].</summary>
    public static Outcome ZScan(Execution execution)
    {
        if (!MemberScan.TryBegin(execution, KeyType.SortedSet, out ulong cursor, out EntryView entry))
            return Outcome.Done;
        ScanOptions options = default;
        if (!options.TryReadOfMembers(execution, 3, "noscores"u8))
            return Outcome.Done;
        SortedSetView view = execution.SortedSets.View(entry);
        if (execution.MustLeaveKeys(Math.Min(options.Count, view.Count) * NsPerMember))
            return Outcome.OffLoopWithoutKeys;
        // The cursor stands before the members, and is known after them.
        execution.Reply.ArrayHeader(2);
        var counter = default(NothingVisitor);
        ulong next = view.IsTree ? view.Scan(cursor, options.Count, ref counter) : 0;
        execution.Reply.BulkInteger((long)next);
        var visitor = new ReplyingVisitor(execution, in options, view.IsTree);
        DeferredHeader header = execution.Reply.BeginDeferred();
        ulong end = view.Scan(cursor, options.Count, ref visitor);
        Debug.Assert(end == next, "the second walk ends elsewhere");
        execution.Reply.EndDeferredArray(in header, visitor.Count);
        return Outcome.Done;
    }

    private struct NothingVisitor : IFieldVisitor
    {
        public readonly void Visit(in HashField field)
        {
        }
    }

    private struct ReplyingVisitor(Execution execution, in ScanOptions options, bool isTree) : IFieldVisitor
    {
        private readonly int _patternIndex = options.PatternIndex;
        private readonly bool _withScores = !options.IsFlagged;

        public long Count { get; private set; }

        public void Visit(in HashField field)
        {
            if (_patternIndex != 0
                && !GlobPattern.Matches(execution.Argument(_patternIndex), field.Member))
                return;
            execution.Reply.Bulk(field.Member);
            Count++;
            if (!_withScores)
                return;
            Count++;
            Span<byte> text = stackalloc byte[RedisNumber.DoubleBytesMax];
            double score = SortedSetTree.ScoreOf(in field);
            // As Redis: the bulk string of a score, also in RESP3; of a big set with 17 digits.
            int length = isTree
                ? RedisNumber.FormatDoubleSeventeen(score, text)
                : RedisNumber.FormatDouble(score, text);
            execution.Reply.Bulk(text[..length]);
        }
    }
}
