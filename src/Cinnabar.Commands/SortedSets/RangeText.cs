using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>The ends of ranges as clients write them: <c>(1.5</c>, <c>-inf</c>, <c>[a</c>,
/// <c>+</c>.</summary>
internal static class RangeText
{
    /// <summary>Reads two arguments as bounds of scores, or replies the error.</summary>
    public static bool TryReadScores(Execution execution, int minIndex, int maxIndex, out ScoreBounds bounds)
    {
        if (TryParseScore(execution.Argument(minIndex), out double min, out bool isMinExclusive)
            & TryParseScore(execution.Argument(maxIndex), out double max, out bool isMaxExclusive))
        {
            bounds = new ScoreBounds(min, isMinExclusive, max, isMaxExclusive);
            return true;
        }

        bounds = default;
        execution.Reply.Error("ERR min or max is not a float"u8);
        return false;
    }

    /// <summary>Reads two arguments as ends of a range of members, or replies the error.</summary>
    public static bool TryReadMembers(Execution execution, int minIndex, int maxIndex, out LexEnds ends)
    {
        ends = default;
        if (TryParseMember(execution.Argument(minIndex), out LexBoundKind min)
            && TryParseMember(execution.Argument(maxIndex), out LexBoundKind max))
        {
            ends = new LexEnds(min, minIndex, max, maxIndex);
            return true;
        }

        execution.Reply.Error("ERR min or max not valid string range item"u8);
        return false;
    }

    private static bool TryParseScore(ReadOnlySpan<byte> text, out double score, out bool isExclusive)
    {
        isExclusive = text is [(byte)'(', ..];
        return RedisNumber.TryParseDoubleLenient(isExclusive ? text[1..] : text, out score);
    }

    private static bool TryParseMember(ReadOnlySpan<byte> text, out LexBoundKind kind)
    {
        kind = default;
        if (text.IsEmpty)
            return false;
        // To Redis such a text ends at a NUL.
        bool isSign = text.Length == 1 || text[1] == 0;
        switch (text[0])
        {
            case (byte)'-' when isSign:
                kind = LexBoundKind.Lowest;
                return true;
            case (byte)'+' when isSign:
                kind = LexBoundKind.Highest;
                return true;
            case (byte)'[':
                kind = LexBoundKind.Inclusive;
                return true;
            case (byte)'(':
                kind = LexBoundKind.Exclusive;
                return true;
            default:
                return false;
        }
    }
}
