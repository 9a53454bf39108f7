using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Keys;

/// <summary>Commands that set a key's deadline or take it away: EXPIRE, EXPIREAT, PERSIST, PEXPIRE,
/// PEXPIREAT.</summary>
public static class ExpiryCommands
{
    /// <summary>EXPIRE key seconds [NX | XX | GT | LT].</summary>
    public static void Expire(Execution execution) =>
        ChangeDeadline(execution, ExpireUnit.Seconds, "expire"u8);

    /// <summary>PEXPIRE key milliseconds [NX | XX | GT | LT].</summary>
    public static void PExpire(Execution execution) =>
        ChangeDeadline(execution, ExpireUnit.Milliseconds, "pexpire"u8);

    /// <summary>EXPIREAT key unix-time-seconds [NX | XX | GT | LT].</summary>
    public static void ExpireAt(Execution execution) =>
        ChangeDeadline(execution, ExpireUnit.UnixSeconds, "expireat"u8);

    /// <summary>PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT].</summary>
    public static void PExpireAt(Execution execution) =>
        ChangeDeadline(execution, ExpireUnit.UnixMilliseconds, "pexpireat"u8);

    /// <summary>PERSIST key.</summary>
    public static void Persist(Execution execution)
    {
        Key key = execution.Key(1);
        EntryView entry = execution.Keys.FindForWrite(in key);
        bool hasDeadline = !entry.IsMissing && entry.DeadlineMs >= 0;
        if (hasDeadline)
        {
            bool isSet = execution.Keys.SetDeadline(in key, StringStore.NoDeadline);
            Debug.Assert(isSet, "the key was there");
            execution.Keys.Changed(in key, KeyEvent.Persist);
        }

        execution.Reply.Integer(hasDeadline ? 1 : 0);
    }

    private static void ChangeDeadline(Execution execution, ExpireUnit unit, ReadOnlySpan<byte> command)
    {
        ExpireCondition condition = default;
        if (!condition.TryRead(execution, 3))
            return;
        var expiry = new ExpireTime(unit, argumentIndex: 2);
        if (!expiry.TryResolveSigned(execution, command, out long deadlineMs))
            return;
        Key key = execution.Key(1);
        EntryView entry = execution.Keys.FindForWrite(in key);
        if (entry.IsMissing || !condition.IsMet(entry.DeadlineMs, deadlineMs))
        {
            execution.Reply.Integer(0);
            return;
        }

        if (execution.IsPast(deadlineMs))
        {
            execution.Keys.Statistics.ExpiredKeys++;
            bool isRemoved = execution.Keys.Remove(in key);
            Debug.Assert(isRemoved, "the key was there");
            execution.Keys.Changed(in key, KeyEvent.Deleted);
            if (execution.Effects.IsRecording)
                execution.Effects.Expire(key.Span);
        }
        else
        {
            deadlineMs = Math.Max(deadlineMs, 1);
            bool isSet = execution.Keys.SetDeadline(in key, deadlineMs);
            Debug.Assert(isSet, "the key was there");
            execution.Keys.Changed(in key, KeyEvent.Expire);
            if (execution.Effects.IsRecording)
                Record(execution, deadlineMs);
        }

        execution.Reply.Integer(1);
    }

    // The condition is met in the replay, too.
    private static void Record(Execution execution, long deadlineMs)
    {
        Effects effects = execution.Effects.Begin("PEXPIREAT"u8).With(execution.Argument(1)).With(deadlineMs);
        if (effects.Level >= CommandLevel.Redis70)
            effects.With(execution.Arguments, 3, execution.ArgumentCount - 3);
        effects.End();
    }
}
