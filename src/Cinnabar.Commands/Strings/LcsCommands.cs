using System.Buffers;

namespace Cinnabar.Commands.Strings;

/// <summary>The longest common subsequence of two strings: LCS.</summary>
public static class LcsCommands
{
    // What Redis would need for each pair of bytes; its limit is part of the interface.
    private const long RedisBytesPerPair = sizeof(uint);

    /// <summary>LCS key1 key2 [LEN] [IDX] [MINMATCHLEN length] [WITHMATCHLEN].</summary>
    public static Outcome Lcs(Execution execution)
    {
        EntryView first = execution.FindKept(1);
        EntryView second = execution.FindKept(2);
        if (!IsStringOrMissing(first) || !IsStringOrMissing(second))
        {
            execution.Reply.Error("ERR The specified keys must contain string values"u8);
            return Outcome.Done;
        }

        LcsOptions options = default;
        if (!options.TryRead(execution))
            return Outcome.Done;
        StringView a = first.IsMissing ? default : first.String;
        StringView b = second.IsMissing ? default : second.String;
        if (!IsAffordable(execution, a.Length, b.Length))
            return Outcome.Done;
        if (execution.MustLeaveKeys(a.Length * b.Length))
            return Outcome.OffLoopWithoutKeys;
        using var table = new LcsTable(a, b);
        table.Compute(isWalkWanted: !options.WantsLength);
        if (options.WantsLength)
            execution.Reply.Integer(table.Length);
        else if (options.WantsMatches)
            ReplyMatches(execution, in table, in options, a.Length, b.Length);
        else
            ReplyText(execution, in table, in a, b.Length);
        return Outcome.Done;
    }

    private static bool IsStringOrMissing(EntryView entry) => entry.IsMissing || entry.Type == KeyType.String;

    private static bool IsAffordable(Execution execution, long aLength, long bLength)
    {
        UInt128 needed = (UInt128)(aLength + 1) * (UInt128)(bLength + 1) * RedisBytesPerPair;
        if (needed > (UInt128)execution.StringLengthMax)
        {
            execution.Reply.Error(
                "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"u8);
            return false;
        }

        if (LcsTable.WordCount(aLength, bLength) <= Array.MaxLength)
            return true;
        execution.Reply.Error("ERR Insufficient memory, failed allocating transient memory for LCS"u8);
        return false;
    }

    private static void ReplyText(Execution execution, in LcsTable table, in StringView a, long bLength)
    {
        byte[] text = ArrayPool<byte>.Shared.Rent(table.Length);
        long i = a.Length;
        long j = bLength;
        for (int index = table.Length - 1; table.TryStepBack(ref i, ref j); index--)
            text[index] = a.SpanAt(i)[0];
        execution.Reply.Bulk(text.AsSpan(0, table.Length));
        ArrayPool<byte>.Shared.Return(text);
    }

    private static void ReplyMatches(Execution execution, in LcsTable table, in LcsOptions options,
        long aLength, long bLength)
    {
        execution.Reply.MapHeader(2);
        execution.Reply.Bulk("matches"u8);
        DeferredHeader header = execution.Reply.BeginDeferred();
        long count = 0;
        long i = aLength;
        long j = bLength;
        bool isFound = table.TryStepBack(ref i, ref j);
        while (isFound)
        {
            long aLast = i;
            long bLast = j;
            long aFirst;
            long bFirst;
            do
            {
                aFirst = i;
                bFirst = j;
                isFound = table.TryStepBack(ref i, ref j);
            }
            while (isFound && i == aFirst - 1 && j == bFirst - 1);
            if (aLast - aFirst + 1 < options.MatchLengthMin)
                continue;
            count++;
            ReplyMatch(execution, (aFirst, aLast), (bFirst, bLast), options.WantsMatchLength);
        }

        execution.Reply.EndDeferredArray(in header, count);
        execution.Reply.Bulk("len"u8);
        execution.Reply.Integer(table.Length);
    }

    private static void ReplyMatch(Execution execution, (long First, long Last) a, (long First, long Last) b,
        bool wantsLength)
    {
        Debug.Assert(a.First <= a.Last && a.Last - a.First == b.Last - b.First, "matches are as long");
        execution.Reply.ArrayHeader(wantsLength ? 3 : 2);
        execution.Reply.ArrayHeader(2);
        execution.Reply.Integer(a.First);
        execution.Reply.Integer(a.Last);
        execution.Reply.ArrayHeader(2);
        execution.Reply.Integer(b.First);
        execution.Reply.Integer(b.Last);
        if (wantsLength)
            execution.Reply.Integer(a.Last - a.First + 1);
    }
}
