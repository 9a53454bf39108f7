using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Strings;

/// <summary>Commands that store several strings at once: MSET, MSETEX, MSETNX.</summary>
public static class MultiKeyCommands
{
    /// <summary>MSET key value [key value ...].</summary>
    public static void MSet(Execution execution)
    {
        if (!HasPairs(execution))
        {
            Errors.ReplyWrongArity(execution, "mset"u8);
            return;
        }

        StoreAll(execution, 1, execution.ArgumentCount, StringStore.NoDeadline);
        execution.Reply.Ok();
    }

    /// <summary>MSETNX key value [key value ...]: all or, if one of the keys exists, none.</summary>
    public static void MSetNx(Execution execution)
    {
        if (!HasPairs(execution))
        {
            Errors.ReplyWrongArity(execution, "msetnx"u8);
            return;
        }

        int end = execution.ArgumentCount;
        bool isMet = AllAreMissing(execution, 1, end);
        if (isMet)
            StoreAll(execution, 1, end, StringStore.NoDeadline);
        execution.Reply.Integer(isMet ? 1 : 0);
    }

    /// <summary>
    /// MSETEX numkeys key value [key value ...] [NX | XX]
    /// [EX seconds | PX milliseconds | EXAT seconds | PXAT milliseconds | KEEPTTL].
    /// </summary>
    public static void MSetEx(Execution execution)
    {
        const int first = 2;
        if (!RedisNumber.TryParseInt64(execution.Argument(1), out long pairCount)
            || pairCount is < 1 or > int.MaxValue)
        {
            execution.Reply.Error("ERR invalid numkeys value"u8);
            return;
        }

        if (pairCount > (execution.ArgumentCount - first) / 2)
        {
            execution.Reply.Error("ERR wrong number of key-value pairs"u8);
            return;
        }

        int end = first + (2 * (int)pairCount);
        SetOptions options = default;
        if (!options.TryReadForMany(execution, end))
            return;
        long deadlineMs = options.KeepsDeadline ? StringStore.KeepDeadline : StringStore.NoDeadline;
        if (options.Expiry.Unit != ExpireUnit.None
            && !options.Expiry.TryResolve(execution, "msetex"u8, out deadlineMs))
            return;
        bool isMet = options.Condition.Kind switch
        {
            ConditionKind.Missing => AllAreMissing(execution, first, end),
            ConditionKind.Exists => AllExist(execution, first, end),
            _ => true,
        };
        if (isMet)
        {
            StoreAll(execution, first, end, deadlineMs);
            if (deadlineMs < 0 && execution.Effects is { IsRecording: true, Level: < CommandLevel.Newest })
                RecordAll(execution, first, end, options.KeepsDeadline);
        }

        execution.Reply.Integer(isMet ? 1 : 0);
    }

    private static void RecordAll(Execution execution, int first, int end, bool keepsDeadline)
    {
        for (int index = first; index < end; index += 2)
        {
            Effects set = SetCommands.BeginSet(execution, execution.Key(index), index + 1);
            if (keepsDeadline)
                set.With("KEEPTTL"u8);
            set.End();
        }
    }

    private static bool HasPairs(Execution execution) => (execution.ArgumentCount & 1) == 1;

    private static bool AllAreMissing(Execution execution, int first, int end)
    {
        for (int index = first; index < end; index += 2)
        {
            if (!execution.Keys.FindForWrite(execution.Key(index)).IsMissing)
                return false;
        }

        return true;
    }

    private static bool AllExist(Execution execution, int first, int end)
    {
        for (int index = first; index < end; index += 2)
        {
            if (execution.Keys.FindForWrite(execution.Key(index)).IsMissing)
                return false;
        }

        return true;
    }

    private static void StoreAll(Execution execution, int first, int end, long deadlineMs)
    {
        Debug.Assert(first < end && (end - first) % 2 == 0, "a key has a value");
        for (int index = first; index < end; index += 2)
            SetCommands.Store(execution, execution.Key(index), index + 1, deadlineMs);
    }
}
