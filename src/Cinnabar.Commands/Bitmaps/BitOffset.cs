namespace Cinnabar.Commands.Bitmaps;

/// <summary>Bit offsets as arguments. Bit 0 is the highest bit of the first byte.</summary>
internal static class BitOffset
{
    private const byte MultipleMark = (byte)'#';

    /// <summary>Reads a bit offset; replies the error where it is none or lies beyond the longest
    /// string.</summary>
    public static bool TryRead(Execution execution, int index, out long offset)
    {
        if (RedisNumber.TryParseInt64(execution.Argument(index), out offset) && IsAllowed(execution, offset))
            return true;
        ReplyInvalid(execution);
        return false;
    }

    /// <summary>As <see cref="TryRead"/>; <c>#n</c> is n times the width of the field.</summary>
    public static bool TryReadField(Execution execution, int index, int bitCount, out long offset)
    {
        ReadOnlySpan<byte> text = execution.Argument(index);
        if (text.IsEmpty || text[0] != MultipleMark)
            return TryRead(execution, index, out offset);
        if (RedisNumber.TryParseInt64(text[1..], out offset) && offset >= 0)
        {
            // Redis lets the product wrap round, and so do we.
            offset = unchecked(offset * bitCount);
            if (IsAllowed(execution, offset))
                return true;
        }

        ReplyInvalid(execution);
        return false;
    }

    private static bool IsAllowed(Execution execution, long offset) =>
        offset >= 0 && offset >> 3 < execution.StringLengthMax;

    private static void ReplyInvalid(Execution execution) =>
        execution.Reply.Error("ERR bit offset is not an integer or out of range"u8);
}
