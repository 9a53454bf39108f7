namespace Cinnabar.Commands.Bitmaps;

/// <summary>Ranges of bits: BITCOUNT, BITPOS.</summary>
public static class BitRangeCommands
{
    /// <summary>BITCOUNT key [start end [BYTE | BIT]].</summary>
    public static Outcome BitCount(Execution execution)
    {
        int argumentCount = execution.ArgumentCount;
        long start = 0;
        long end = -1;
        bool isInBits = false;
        if (argumentCount is 4 or 5)
        {
            if (!execution.TryInteger(2, out start) || !execution.TryInteger(3, out end)
                || (argumentCount == 5 && !TryReadUnit(execution, 4, out isInBits)))
                return Outcome.Done;
        }
        else if (argumentCount != 2)
        {
            execution.Reply.Error(Errors.Syntax);
            return Outcome.Done;
        }

        if (!execution.TryFindStringKept(1, out EntryView entry))
            return Outcome.Done;
        if (entry.IsMissing || (start < 0 && end < 0 && start > end)
            || !TryRange(entry, ref start, ref end, isInBits))
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }

        if (execution.MustLeaveKeys(BitRange.CostNs((end - start) >> 3)))
            return Outcome.OffLoopWithoutKeys;
        StringView text = entry.String;
        execution.Reply.Integer(BitRange.Count(in text, start, end));
        return Outcome.Done;
    }

    /// <summary>BITPOS key bit [start [end [BYTE | BIT]]].</summary>
    public static Outcome BitPos(Execution execution)
    {
        if (!execution.TryInteger(2, out long bit))
            return Outcome.Done;
        if (bit is not (0 or 1))
        {
            execution.Reply.Error("ERR The bit argument must be 1 or 0."u8);
            return Outcome.Done;
        }

        if (!TryReadRange(execution, out long start, out long end, out bool isInBits)
            || !execution.TryFindStringKept(1, out EntryView entry))
            return Outcome.Done;
        if (entry.IsMissing)
        {
            execution.Reply.Integer(-bit);
            return Outcome.Done;
        }

        long length = entry.StringLength;
        if (!TryRange(entry, ref start, ref end, isInBits))
        {
            execution.Reply.Integer(-1);
            return Outcome.Done;
        }

        if (execution.MustLeaveKeys(BitRange.CostNs((end - start) >> 3)))
            return Outcome.OffLoopWithoutKeys;
        StringView text = entry.String;
        long position = BitRange.Find(in text, start, end, bit == 1);

        // Without an end, the string counts as followed by zeros.
        bool isEndGiven = execution.ArgumentCount > 4;
        if (position < 0 && bit == 0 && !isEndGiven)
            position = length << 3;
        execution.Reply.Integer(position);
        return Outcome.Done;
    }

    private static bool TryReadRange(Execution execution, out long start, out long end, out bool isInBits)
    {
        start = 0;
        end = -1;
        isInBits = false;
        int argumentCount = execution.ArgumentCount;
        if (argumentCount > 6)
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        return (argumentCount < 4 || execution.TryInteger(3, out start))
            && (argumentCount < 6 || TryReadUnit(execution, 5, out isInBits))
            && (argumentCount < 5 || execution.TryInteger(4, out end));
    }

    private static bool TryReadUnit(Execution execution, int index, out bool isInBits)
    {
        isInBits = execution.Is(index, "bit"u8);
        if (isInBits || execution.Is(index, "byte"u8))
            return true;
        execution.Reply.Error(Errors.Syntax);
        return false;
    }

    /// <summary>Turns a range as a client gives it into one of bits; false where it is empty.</summary>
    private static bool TryRange(EntryView entry, ref long start, ref long end, bool isInBits)
    {
        long length = entry.StringLength;
        if (!BitRange.TryClip(ref start, ref end, isInBits ? length << 3 : length))
            return false;
        if (!isInBits)
        {
            start <<= 3;
            end = (end << 3) + 7;
        }

        return true;
    }
}
