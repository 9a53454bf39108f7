using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that give fields deadlines or take them away: HEXPIRE, HEXPIREAT, HPERSIST, HPEXPIRE,
/// HPEXPIREAT.</summary>
public static class FieldExpiryCommands
{
    private const long IsNotMet = 0;
    private const long IsSet = 1;
    private const long IsDeleted = 2;
    private const long IsPersisted = 1;
    private const int TimeIndex = 2;
    private const int OptionsIndex = 3;

    /// <summary>HEXPIRE key seconds [NX | XX | GT | LT] FIELDS numfields field [field ...].</summary>
    public static void HExpire(Execution execution) => Expire(execution, ExpireUnit.Seconds, "hexpire"u8);

    /// <summary>HPEXPIRE key milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...].</summary>
    public static void HPExpire(Execution execution) =>
        Expire(execution, ExpireUnit.Milliseconds, "hpexpire"u8);

    /// <summary>HEXPIREAT key unix-time-seconds [NX | XX | GT | LT] FIELDS numfields field
    /// [field ...].</summary>
    public static void HExpireAt(Execution execution) =>
        Expire(execution, ExpireUnit.UnixSeconds, "hexpireat"u8);

    /// <summary>HPEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT] FIELDS numfields field
    /// [field ...].</summary>
    public static void HPExpireAt(Execution execution) =>
        Expire(execution, ExpireUnit.UnixMilliseconds, "hpexpireat"u8);

    /// <summary>HPERSIST key FIELDS numfields field [field ...].</summary>
    public static void HPersist(Execution execution)
    {
        if (!HashReplies.TryOpen(execution, out HashEditor hash)
            || !FieldArguments.TryRead(execution, 2, FieldDeadlineCommands.CountError,
                out FieldArguments fields))
            return;
        long count = 0;
        execution.Reply.ArrayHeader(fields.Count);
        for (int index = fields.First; index < fields.End; index++)
        {
            ReadOnlySpan<byte> field = execution.Argument(index);
            if (!hash.View.TryGetDeadline(field, out long deadlineMs))
            {
                execution.Reply.Integer(FieldDeadlineCommands.NoField);
                continue;
            }

            execution.Reply.Integer(deadlineMs < 0 ? FieldDeadlineCommands.NoDeadline : IsPersisted);
            if (deadlineMs < 0)
                continue;
            hash.SetDeadline(field, HashStore.NoDeadline);
            count++;
        }

        if (count == 0)
            return;
        if (execution.Effects is { IsRecording: true, Level: < CommandLevel.Redis74 })
            FieldEffects.Persist(execution, hash.View, fields.First, fields.End);
        hash.Complete();
        HashReplies.Changed(execution, KeyEvent.HashPersist, count);
    }

    private static void Expire(Execution execution, ExpireUnit unit, ReadOnlySpan<byte> command)
    {
        if (!HashReplies.TryOpen(execution, out HashEditor hash)
            || !FieldExpireTime.TryRead(execution, TimeIndex, unit, command, out long deadlineMs))
            return;
        if (!FieldArguments.TryRead(
            execution, OptionsIndex, out FieldCondition condition, out FieldArguments fields)
            || FieldEffects.RefusesDeadline(execution, deadlineMs))
            return;
        (long setCount, long deletedCount) = (0, 0);
        bool isPast = execution.IsPast(deadlineMs);
        execution.Reply.ArrayHeader(fields.Count);
        for (int index = fields.First; index < fields.End; index++)
        {
            ReadOnlySpan<byte> field = execution.Argument(index);
            long outcome = ExpireOne(hash, field, deadlineMs, in condition, isPast);
            setCount += outcome == IsSet ? 1 : 0;
            deletedCount += outcome == IsDeleted ? 1 : 0;
            execution.Reply.Integer(outcome);
            if (outcome == IsDeleted && execution.Effects.IsRecording)
                RecordDeleted(execution, index, deletedCount == 1);
        }

        if (deletedCount > 0 && execution.Effects.IsRecording)
            execution.Effects.End();
        if (setCount > 0 && execution.Effects.IsRecording)
            FieldEffects.Expire(execution, Math.Max(deadlineMs, 1), OptionsIndex, in fields);
        Complete(execution, hash, setCount, deletedCount);
    }

    private static void RecordDeleted(Execution execution, int index, bool isFirst)
    {
        if (isFirst)
            execution.Effects.Begin("HDEL"u8).With(execution.Argument(1));
        execution.Effects.With(execution.Argument(index));
    }

    /// <summary>Declares and ends what was done to deadlines of the first argument's hash.</summary>
    internal static void Complete(Execution execution, HashEditor hash, long setCount, long deletedCount)
    {
        Debug.Assert(setCount == 0 || deletedCount == 0, "a deadline is past or not");
        if (setCount + deletedCount == 0)
            return;
        execution.Keys.Statistics.ExpiredFields += deletedCount;
        HashReplies.Changed(execution, KeyEvent.HashDeleted, deletedCount);
        HashReplies.Changed(execution, KeyEvent.HashExpire, setCount);
        HashReplies.Complete(execution, hash);
    }

    private static long ExpireOne(HashEditor hash, ReadOnlySpan<byte> field, long deadlineMs,
        in FieldCondition condition, bool isPast)
    {
        if (!hash.View.TryGetDeadline(field, out long oldMs))
            return FieldDeadlineCommands.NoField;
        if (!condition.IsMet(oldMs, deadlineMs))
            return IsNotMet;
        if (isPast)
        {
            hash.Remove(field);
            return IsDeleted;
        }

        hash.SetDeadline(field, Math.Max(deadlineMs, 1));
        return IsSet;
    }
}
