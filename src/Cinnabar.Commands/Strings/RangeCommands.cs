using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Strings;

/// <summary>Commands on parts of a string: APPEND, GETRANGE, SETRANGE, SUBSTR.</summary>
public static class RangeCommands
{
    /// <summary>APPEND key value.</summary>
    public static void Append(Execution execution)
    {
        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        Key key = execution.Key(1);
        ReadOnlySpan<byte> value = execution.Argument(2);
        long length = value.Length;
        if (entry.IsMissing)
        {
            SetCommands.StoreValue(execution, in key, 2, StringStore.NoDeadline);
        }
        else
        {
            long oldLength = entry.StringLength;
            length += oldLength;
            if (!IsLengthAllowed(execution, length))
                return;
            execution.Strings.Edit(in key, length).Write(oldLength, value);
        }

        execution.Keys.Changed(in key, KeyEvent.Append);
        execution.Reply.Integer(length);
    }

    /// <summary>SETRANGE key offset value.</summary>
    public static void SetRange(Execution execution)
    {
        if (!execution.TryInteger(2, out long offset))
            return;
        if (offset < 0)
        {
            execution.Reply.Error("ERR offset is out of range"u8);
            return;
        }

        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        long oldLength = entry.IsMissing ? 0 : entry.StringLength;
        ReadOnlySpan<byte> value = execution.Argument(3);
        if (value.IsEmpty)
        {
            execution.Reply.Integer(oldLength);
            return;
        }

        // An offset near the largest integer must not wrap round.
        long end = Math.Min(offset, long.MaxValue - value.Length) + value.Length;
        if (!IsLengthAllowed(execution, end))
            return;
        Key key = execution.Key(1);
        execution.Strings.Edit(in key, end).Write(offset, value);
        execution.Keys.Changed(in key, KeyEvent.SetRange);
        execution.Reply.Integer(Math.Max(oldLength, end));
    }

    /// <summary>GETRANGE key start end; SUBSTR is its older name.</summary>
    public static void GetRange(Execution execution)
    {
        if (!execution.TryInteger(2, out long start) || !execution.TryInteger(3, out long end)
            || !execution.TryFindString(1, out EntryView entry))
            return;
        if (entry.IsMissing || !TryClip(ref start, ref end, entry.StringLength))
        {
            execution.Reply.Bulk(default);
            return;
        }

        long count = end - start + 1;
        if (entry.Encoding == KeyEncoding.Blocks)
            execution.ReplyBlocks(entry, start, count);
        else
            execution.Reply.Bulk(entry.String.Span.Slice((int)start, (int)count));
    }

    /// <summary>Turns offsets that may count from the end into a range within the string; false: it is
    /// empty.</summary>
    /// <remarks>
    /// An end before the first byte means the first byte, unless start is before the first byte too and
    /// behind the end. Odd, but it is what clients know.
    /// </remarks>
    private static bool TryClip(ref long start, ref long end, long length)
    {
        if (start < 0 && end < 0 && start > end)
            return false;
        if (start < 0)
            start = Math.Max(0, start + length);
        if (end < 0)
            end = Math.Max(0, end + length);
        end = Math.Min(end, length - 1);
        Debug.Assert(start >= 0 && end < length, "a place outside the string");
        return start <= end;
    }

    private static bool IsLengthAllowed(Execution execution, long length)
    {
        if (length <= execution.StringLengthMax)
            return true;
        execution.Reply.Error(Errors.StringTooLong);
        return false;
    }
}
