using System;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that read or write fields and their deadlines at once: HGETDEL, HGETEX,
/// HSETEX.</summary>
public static class FieldOptionCommands
{
    private const int FieldsIndex = 2;

    /// <summary>HGETDEL key FIELDS numfields field [field ...].</summary>
    public static void HGetDel(Execution execution)
    {
        if (!HashReplies.TryOpen(execution, out HashEditor hash)
            || !FieldArguments.TryRead(execution, FieldsIndex, FieldDeadlineCommands.CountError,
                out FieldArguments fields))
            return;
        RemoveDue(execution, in fields, ref hash);
        long count = 0;
        execution.Reply.ArrayHeader(fields.Count);
        for (int index = fields.First; index < execution.ArgumentCount; index++)
        {
            HashReplies.Value(execution, hash.View, index);
            count += !hash.IsMissing && hash.Remove(execution.Argument(index)) ? 1 : 0;
        }

        if (count == 0)
            return;
        HashReplies.Changed(execution, KeyEvent.HashDeleted, count);
        HashReplies.Complete(execution, hash);
    }

    /// <summary>HGETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
    /// unix-time-milliseconds | PERSIST] FIELDS numfields field [field ...].</summary>
    public static void HGetEx(Execution execution)
    {
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        long deadlineMs = HashStore.KeepDeadline;
        int fieldsIndex = FieldsIndex;
        ExpireUnit unit = FieldExpireTime.UnitOf(execution, FieldsIndex);
        if (unit != ExpireUnit.None)
        {
            fieldsIndex += 2;
            if (!FieldExpireTime.TryRead(execution, FieldsIndex + 1, unit, "hgetex"u8, out deadlineMs))
                return;
        }
        else if (execution.Is(FieldsIndex, "persist"u8))
        {
            fieldsIndex++;
            deadlineMs = HashStore.NoDeadline;
        }

        if (fieldsIndex + 1 >= execution.ArgumentCount)
        {
            Errors.ReplyWrongArity(execution, "hgetex"u8);
            return;
        }

        if (!FieldArguments.TryRead(execution, fieldsIndex, FieldDeadlineCommands.CountError,
            out FieldArguments fields))
            return;
        RemoveDue(execution, in fields, ref hash);
        execution.Reply.ArrayHeader(fields.Count);
        for (int index = fields.First; index < execution.ArgumentCount; index++)
            HashReplies.Value(execution, hash.View, index);
        if (!hash.IsMissing && deadlineMs != HashStore.KeepDeadline)
            ChangeDeadlines(execution, hash, fields.First, deadlineMs);
    }

    /// <summary>
    /// HSETEX key [NX | XX] [FNX | FXX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
    /// unix-time-milliseconds | KEEPTTL] FIELDS numfields field value [field value ...].
    /// </summary>
    public static void HSetEx(Execution execution)
    {
        HashSetOptions options = default;
        if (!options.TryRead(execution))
            return;
        if (options.MustExist || options.MustBeMissing)
            HashReplies.RemoveDue(execution, options.FirstField, execution.ArgumentCount, step: 2);
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        if (!IsMet(execution, hash.View, in options))
        {
            execution.Reply.Integer(0);
            return;
        }

        if (options.DeadlineMs >= 0 && execution.IsPast(options.DeadlineMs))
            RemoveAll(execution, hash, options.FirstField);
        else
            SetAll(execution, hash, in options);
        execution.Reply.Integer(1);
    }

    private static void RemoveDue(Execution execution, in FieldArguments fields, ref HashEditor hash)
    {
        if (execution.Keys.Keyspace.IsActiveExpiryEnabled)
            return;
        HashReplies.RemoveDue(execution, fields.First, execution.ArgumentCount);
        HashReplies.TryOpen(execution, out hash);
    }

    private static bool IsMet(Execution execution, HashView hash, in HashSetOptions options)
    {
        if (hash.Count == 0 ? options.HashMustExist : options.HashMustBeMissing)
            return false;
        if (!options.MustExist && !options.MustBeMissing)
            return true;
        for (int index = options.FirstField; index < execution.ArgumentCount; index += 2)
        {
            if (hash.TryGet(execution.Argument(index), out _) != options.MustExist)
                return false;
        }

        return true;
    }

    private static void SetAll(Execution execution, HashEditor hash, in HashSetOptions options)
    {
        if (hash.IsMissing)
            hash = FieldWriteCommands.Create(execution, options.FirstField);
        for (int index = options.FirstField; index < execution.ArgumentCount; index += 2)
            hash.Set(execution.Argument(index), execution.Argument(index + 1), options.DeadlineMs);
        hash.Complete();
        HashReplies.Changed(execution, KeyEvent.HashSet, (execution.ArgumentCount - options.FirstField) / 2);
        if (options.DeadlineMs >= 0)
            execution.Keys.ChangedToo(execution.Key(1), KeyEvent.HashExpire);
    }

    // Fields that get a deadline in the past are gone; those that were not there have not come either.
    private static void RemoveAll(Execution execution, HashEditor hash, int firstField)
    {
        if (hash.IsMissing)
            return;
        long count = 0;
        for (int index = firstField; index < execution.ArgumentCount; index += 2)
            count += hash.Remove(execution.Argument(index)) ? 1 : 0;
        if (count == 0)
            return;
        HashReplies.Changed(execution, KeyEvent.HashDeleted, count);
        HashReplies.Complete(execution, hash);
    }

    private static void ChangeDeadlines(Execution execution, HashEditor hash, int firstField, long deadlineMs)
    {
        (long count, bool isPast) = (0, deadlineMs >= 0 && execution.IsPast(deadlineMs));
        for (int index = firstField; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> field = execution.Argument(index);
            if (!hash.View.TryGetDeadline(field, out long oldMs) || (oldMs < 0 && deadlineMs < 0))
                continue;
            count++;
            if (isPast)
                hash.Remove(field);
            else
                hash.SetDeadline(field, deadlineMs);
        }

        if (count == 0)
            return;
        KeyEvent keyEvent = deadlineMs < 0 ? KeyEvent.HashPersist : KeyEvent.HashExpire;
        HashReplies.Changed(execution, isPast ? KeyEvent.HashDeleted : keyEvent, count);
        HashReplies.Complete(execution, hash);
    }
}
