using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>LPOS: finds elements by their value.</summary>
public static class ListPositionCommands
{
    private const long NoCount = -1;

    /// <summary>LPOS key element [RANK rank] [COUNT num-matches] [MAXLEN len].</summary>
    public static Outcome LPos(Execution execution)
    {
        long rank = 1;
        long countMax = NoCount;
        long lengthMax = 0;
        for (int index = 3; index < execution.ArgumentCount; index += 2)
        {
            bool hasValue = index + 1 < execution.ArgumentCount;
            bool isRead;
            if (hasValue && execution.Is(index, "rank"u8))
            {
                isRead = TryReadRank(execution, index + 1, out rank);
            }
            else if (hasValue && execution.Is(index, "count"u8))
            {
                isRead = TryReadSize(execution, index + 1, "ERR COUNT can't be negative"u8, out countMax);
            }
            else if (hasValue && execution.Is(index, "maxlen"u8))
            {
                isRead = TryReadSize(execution, index + 1, "ERR MAXLEN can't be negative"u8, out lengthMax);
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return Outcome.Done;
            }

            if (!isRead)
                return Outcome.Done;
        }

        if (!execution.TryFindKept(1, KeyType.List, out EntryView entry))
            return Outcome.Done;
        long length = entry.IsMissing ? 0 : entry.List.Count;
        if (lengthMax > 0)
            length = Math.Min(length, lengthMax);
        if (execution.MustLeaveKeys(length * ListReplies.ComparisonCostNs))
            return Outcome.OffLoopWithoutKeys;
        ReplyPositions(execution, entry, length, rank, countMax);
        return Outcome.Done;
    }

    private static void ReplyPositions(
        Execution execution, EntryView entry, long length, long rank, long countMax)
    {
        bool isArray = countMax != NoCount;
        long left = isArray ? countMax == 0 ? long.MaxValue : countMax : 1;
        DeferredHeader header = isArray ? execution.Reply.BeginDeferred() : default;
        long count = 0;
        if (length > 0)
            count = ReplyMatches(execution, entry.List, length, rank, left);
        if (isArray)
            execution.Reply.EndDeferredArray(in header, count);
        else if (count == 0)
            execution.Reply.Null();
    }

    private static long ReplyMatches(
        Execution execution, ListView list, long length, long rank, long countMax)
    {
        Debug.Assert(rank is not (0 or long.MinValue) && length <= list.Count, "no place to search from");
        var sought = new ListText(execution.Argument(2));
        bool isBackward = rank < 0;
        long last = list.Count - 1;
        long skipped = Math.Abs(rank) - 1;
        long count = 0;
        ListCursor cursor = list.CursorAt(isBackward ? last : 0);
        for (long step = 0; step < length && count < countMax; step++)
        {
            if (sought.Equals(cursor.Current) && skipped-- <= 0)
            {
                execution.Reply.Integer(isBackward ? last - step : step);
                count++;
            }

            if (isBackward)
                cursor.MoveBack();
            else
                cursor.MoveNext();
        }

        return count;
    }

    private static bool TryReadRank(Execution execution, int index, out long rank)
    {
        if (!execution.TryInteger(index, out rank))
            return false;
        if (rank == long.MinValue)
        {
            ListEditCommands.ReplyOutOfRange(execution);
            return false;
        }

        if (rank != 0)
            return true;
        execution.Reply.Error("ERR RANK can't be zero: use 1 to start from the first match, 2 from "u8
            + "the second ... or use negative to start from the end of the list"u8);
        return false;
    }

    private static bool TryReadSize(Execution execution, int index, ReadOnlySpan<byte> error, out long size)
    {
        if (RedisNumber.TryParseInt64(execution.Argument(index), out size) && size >= 0)
            return true;
        execution.Reply.Error(error);
        return false;
    }
}
