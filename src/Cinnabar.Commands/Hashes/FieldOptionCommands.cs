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
        RemoveDue(execution, fields.First, fields.End, ref hash);
        long count = 0;
        execution.Reply.ArrayHeader(fields.Count);
        for (int index = fields.First; index < fields.End; index++)
        {
            HashReplies.Value(execution, hash.View, index);
            count += !hash.IsMissing && hash.Remove(execution.Argument(index)) ? 1 : 0;
        }

        if (count == 0)
            return;
        HashReplies.Changed(execution, KeyEvent.HashDeleted, count);
        if (execution.Effects.IsRecording)
            FieldEffects.Removed(execution, fields.First, fields.End);
        HashReplies.Complete(execution, hash);
    }

    /// <summary>HGETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
    /// unix-time-milliseconds | PERSIST] FIELDS numfields field [field ...].</summary>
    public static void HGetEx(Execution execution)
    {
        FieldOptions options = default;
        if (!options.TryRead(execution, isSet: false) || !HashReplies.TryOpen(execution, out HashEditor hash)
            || FieldEffects.RefusesDeadline(execution, options.DeadlineMs))
            return;
        RemoveDue(execution, options.FirstField, options.EndField, ref hash);
        bool isChange = !hash.IsMissing && options.DeadlineMs != HashStore.KeepDeadline;
        bool isPast = options.DeadlineMs >= 0 && execution.IsPast(options.DeadlineMs);
        long count = 0;
        execution.Reply.ArrayHeader(options.Count);
        for (int index = options.FirstField; index < options.EndField; index++)
        {
            // A field that is named twice has gone the second time where its deadline has passed.
            HashReplies.Value(execution, hash.View, index);
            if (isChange && ChangeDeadline(hash, execution.Argument(index), options.DeadlineMs, isPast))
                count++;
        }

        if (count == 0)
            return;
        execution.Keys.Statistics.ExpiredFields += isPast ? count : 0;
        KeyEvent keyEvent = options.DeadlineMs < 0 ? KeyEvent.HashPersist : KeyEvent.HashExpire;
        HashReplies.Changed(execution, isPast ? KeyEvent.HashDeleted : keyEvent, count);
        if (execution.Effects.IsRecording && isPast)
            FieldEffects.Removed(execution, options.FirstField, options.EndField);
        else if (execution.Effects.IsRecording && options.DeadlineMs < 0)
            FieldEffects.Persist(execution, hash.View, options.FirstField, options.EndField);
        else if (execution.Effects.IsRecording)
            FieldEffects.Expire(execution, options.DeadlineMs, options.FirstField, options.EndField);
        HashReplies.Complete(execution, hash);
    }

    /// <summary>
    /// HSETEX key [NX | XX] [FNX | FXX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
    /// unix-time-milliseconds | KEEPTTL] FIELDS numfields field value [field value ...].
    /// </summary>
    public static void HSetEx(Execution execution)
    {
        FieldOptions options = default;
        if (!options.TryRead(execution, isSet: true))
            return;
        if (options.MustExist || options.MustBeMissing)
            HashReplies.RemoveDue(execution, options.FirstField, options.EndField, step: 2);
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        if (!IsMet(execution, hash.View, in options))
        {
            execution.Reply.Integer(0);
            return;
        }

        if (FieldEffects.RefusesDeadline(execution, options.DeadlineMs))
            return;
        if (options.DeadlineMs >= 0 && execution.IsPast(options.DeadlineMs))
            RemoveAll(execution, hash, in options);
        else
            SetAll(execution, hash, in options);
        execution.Reply.Integer(1);
    }

    private static void RemoveDue(Execution execution, int fromIndex, int toIndex, ref HashEditor hash)
    {
        if (execution.Keys.Keyspace.IsActiveExpiryEnabled)
            return;
        HashReplies.RemoveDue(execution, fromIndex, toIndex);
        HashReplies.TryOpen(execution, out hash);
    }

    private static bool IsMet(Execution execution, HashView hash, in FieldOptions options)
    {
        if (hash.Count == 0 ? options.HashMustExist : options.HashMustBeMissing)
            return false;
        if (!options.MustExist && !options.MustBeMissing)
            return true;
        for (int index = options.FirstField; index < options.EndField; index += 2)
        {
            if (hash.TryGet(execution.Argument(index), out _) != options.MustExist)
                return false;
        }

        return true;
    }

    private static void SetAll(Execution execution, HashEditor hash, in FieldOptions options)
    {
        if (hash.IsMissing)
            hash = FieldWriteCommands.Create(execution, options.FirstField, options.EndField);
        Debug.Assert(options.EndField - options.FirstField == 2 * options.Count, "a field has a value");
        hash.Reserve(options.Count);
        for (int index = options.FirstField; index < options.EndField; index += 2)
            hash.Set(execution.Argument(index), execution.Argument(index + 1), options.DeadlineMs);
        if (execution.Effects.IsRecording)
            FieldEffects.Set(execution, in options, hash.View);
        hash.Complete();
        HashReplies.Changed(execution, KeyEvent.HashSet, options.Count);
        if (options.DeadlineMs >= 0)
            execution.Keys.MarkChanged(execution.Key(1), KeyEvent.HashExpire);
    }

    // Fields that get a deadline in the past are gone; those that were not there have not come either, but
    // count as expired, too. Redis sets them before it deletes them: both are events.
    private static void RemoveAll(Execution execution, HashEditor hash, in FieldOptions options)
    {
        Debug.Assert(options.DeadlineMs >= 0, "only a deadline in the past removes fields");
        execution.Keys.Statistics.ExpiredFields += options.Count;
        if (hash.IsMissing)
            return;
        long count = 0;
        for (int index = options.FirstField; index < options.EndField; index += 2)
            count += hash.Remove(execution.Argument(index)) ? 1 : 0;
        if (count == 0)
            return;
        execution.Keys.MarkChanged(execution.Key(1), KeyEvent.HashSet);
        HashReplies.Changed(execution, KeyEvent.HashDeleted, count);
        if (execution.Effects.IsRecording)
            FieldEffects.Removed(execution, options.FirstField, options.EndField, step: 2);
        HashReplies.Complete(execution, hash);
    }

    private static bool ChangeDeadline(
        HashEditor hash, ReadOnlySpan<byte> field, long deadlineMs, bool isPast)
    {
        if (!hash.View.TryGetDeadline(field, out long oldMs) || (oldMs < 0 && deadlineMs < 0))
            return false;
        if (isPast)
            hash.Remove(field);
        else
            hash.SetDeadline(field, deadlineMs);
        return true;
    }
}
