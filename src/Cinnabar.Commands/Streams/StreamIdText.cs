// The text of IDs. Redis reads numbers in them as C's strtoull does where its own parser gives up, and what
// that accepts (white space in front, a plus, zeroes in front, for the sequence even a minus before a zero)
// is accepted here.
using System.Buffers.Text;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Reads and writes the IDs of entries.</summary>
internal static class StreamIdText
{
    /// <summary>The longest text of an ID.</summary>
    internal const int BytesMax = 41;

    private const int InputBytesMax = 127;

    /// <summary>Reads an ID that must have its full form, or only the milliseconds.</summary>
    internal static bool TryStrict(ReadOnlySpan<byte> text, ulong missingSequence, out StreamId id)
    {
        id = default;
        return text is not ([(byte)'-'] or [(byte)'+']) && TryParse(text, missingSequence, out id, out _);
    }

    /// <summary>Reads an ID, or replies Redis's error; '-' and '+' are none.</summary>
    internal static bool TryStrict(Execution execution, int index, out StreamId id) =>
        Report(execution, TryStrict(execution.Argument(index), 0, out id));

    /// <summary>Reads an ID, '-' or '+', or replies Redis's error.</summary>
    internal static bool TryAny(Execution execution, int index, out StreamId id) =>
        Report(execution, TryParse(execution.Argument(index), 0, out id, out _));

    /// <summary>Reads the ID of a new entry, or replies Redis's error.</summary>
    /// <param name="execution">The command's execution.</param>
    /// <param name="index">The argument.</param>
    /// <param name="id">The ID.</param>
    /// <param name="isComplete">False: the sequence is to be chosen (<c>ms-*</c>).</param>
    internal static bool TryNew(Execution execution, int index, out StreamId id, out bool isComplete)
    {
        id = default;
        isComplete = true;
        ReadOnlySpan<byte> text = execution.Argument(index);
        bool isId = text is not ([(byte)'-'] or [(byte)'+']);
        return Report(execution, isId && TryParse(text, 0, out id, out isComplete, canBeOpen: true));
    }

    /// <summary>Reads the lower bound of an interval, or replies Redis's error.</summary>
    internal static bool TryStart(Execution execution, int index, out StreamId id)
    {
        if (!TryBound(execution, index, 0, out id, out bool isExclusive)) return false;
        if (!isExclusive || id.TryNext(out id)) return true;
        execution.Reply.Error(StreamErrors.InvalidStart);
        return false;
    }

    /// <summary>Reads the upper bound of an interval, or replies Redis's error.</summary>
    internal static bool TryEnd(Execution execution, int index, out StreamId id)
    {
        if (!TryBound(execution, index, ulong.MaxValue, out id, out bool isExclusive)) return false;
        if (!isExclusive || id.TryPrevious(out id)) return true;
        execution.Reply.Error(StreamErrors.InvalidEnd);
        return false;
    }

    /// <summary>Replies an ID as a bulk string.</summary>
    internal static void Reply(Execution execution, StreamId id)
    {
        Span<byte> text = stackalloc byte[BytesMax];
        execution.Reply.Bulk(text[..Format(id, text)]);
    }

    /// <summary>Writes an ID; answers its length.</summary>
    internal static int Format(StreamId id, Span<byte> text)
    {
        Debug.Assert(text.Length >= BytesMax, "too little room for an ID");
        Utf8Formatter.TryFormat(id.Ms, text, out int length);
        text[length++] = (byte)'-';
        Utf8Formatter.TryFormat(id.Sequence, text[length..], out int sequenceLength);
        return length + sequenceLength;
    }

    private static bool TryBound(
        Execution execution, int index, ulong missingSequence, out StreamId id, out bool isExclusive)
    {
        ReadOnlySpan<byte> text = execution.Argument(index);
        isExclusive = text.Length > 1 && text[0] == (byte)'(';
        bool isId = isExclusive
            ? TryStrict(text[1..], missingSequence, out id)
            : TryParse(text, missingSequence, out id, out _);
        return Report(execution, isId);
    }

    private static bool Report(Execution execution, bool isId)
    {
        if (!isId) execution.Reply.Error(StreamErrors.InvalidId);
        return isId;
    }

    private static bool TryParse(
        ReadOnlySpan<byte> text, ulong missingSequence, out StreamId id, out bool isComplete,
        bool canBeOpen = false)
    {
        id = default;
        isComplete = true;
        if (text.Length > InputBytesMax) return false;
        // A C string ends at its first NUL.
        int end = text.IndexOf((byte)0);
        if (end >= 0) text = text[..end];
        if (text is [(byte)'-']) return true;
        if (text is [(byte)'+'])
        {
            id = StreamId.Max;
            return true;
        }
        int dash = text.IndexOf((byte)'-');
        ulong sequence = missingSequence;
        if (!TryNumber(dash < 0 ? text : text[..dash], out ulong ms)) return false;
        if (dash >= 0)
        {
            isComplete = !(canBeOpen && text[(dash + 1)..] is [(byte)'*']);
            sequence = 0;
            if (isComplete && !TryNumber(text[(dash + 1)..], out sequence)) return false;
        }
        id = new StreamId(ms, sequence);
        return true;
    }

    private static bool TryNumber(ReadOnlySpan<byte> text, out ulong value)
    {
        value = 0;
        if (RedisNumber.TryParseInt64(text, out long number))
        {
            value = (ulong)number;
            return number >= 0;
        }
        int at = 0;
        while (at < text.Length && text[at] is (byte)' ' or >= (byte)'\t' and <= (byte)'\r') at++;
        bool isNegative = at < text.Length && text[at] == (byte)'-';
        if (at < text.Length && text[at] is (byte)'-' or (byte)'+') at++;
        if (at == text.Length) return false;
        UInt128 sum = 0;
        for (; at < text.Length; at++)
        {
            if (text[at] is < (byte)'0' or > (byte)'9') return false;
            sum = sum * 10 + (uint)(text[at] - '0');
            if (sum > ulong.MaxValue) return false;
        }
        value = isNegative ? 0 - (ulong)sum : (ulong)sum;
        return true;
    }
}
