using Cinnabar.Keyspace.Strings;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Commands.Strings;

/// <summary>Commands that store one string: SET, SETEX, SETNX, PSETEX.</summary>
public static class SetCommands
{
    private const int PlainArgumentCount = 3;

    /// <summary>
    /// SET key value [NX | XX | IFEQ value | IFNE value | IFDEQ digest | IFDNE digest] [GET]
    /// [EX seconds | PX milliseconds | EXAT seconds | PXAT milliseconds | KEEPTTL].
    /// </summary>
    public static Outcome Set(Execution execution)
    {
        if (execution.ArgumentCount != PlainArgumentCount)
        {
            return SetWithOptions(execution);
        }

        Key key = execution.Key(1);
        StoreValue(execution, in key, 2, StringStore.NoDeadline);
        execution.Keys.Changed(in key, KeyEvent.Set);
        execution.Reply.Ok();
        return Outcome.Done;
    }

    /// <summary>SETNX key value.</summary>
    public static void SetNx(Execution execution)
    {
        Key key = execution.Key(1);
        if (!execution.Keys.FindForWrite(in key).IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        StoreValue(execution, in key, 2, StringStore.NoDeadline);
        execution.Keys.Changed(in key, KeyEvent.Set);
        execution.Reply.Integer(1);
    }

    /// <summary>SETEX key seconds value.</summary>
    public static void SetEx(Execution execution) =>
        SetWithDeadline(execution, ExpireUnit.Seconds, "setex"u8);

    /// <summary>PSETEX key milliseconds value.</summary>
    public static void PSetEx(Execution execution) =>
        SetWithDeadline(execution, ExpireUnit.Milliseconds, "psetex"u8);

    /// <summary>Stores an argument as SET does and declares nothing; a big one that came as blocks is not
    /// copied.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void StoreValue(Execution execution, in Key key, int valueIndex, long deadlineMs)
    {
        Debug.Assert(deadlineMs < 0 || !execution.IsPast(deadlineMs), "a value that is gone is stored");
        ReadOnlySpan<byte> value = execution.Argument(valueIndex);
        if (value.Length > StringStore.InlineLengthMax
            && execution.TryTakeBlocks(valueIndex, out BlockString blocks))
            execution.Strings.SetBlocks(in key, blocks, deadlineMs);
        else
            execution.Strings.Set(in key, value, deadlineMs);
    }

    /// <summary>
    /// Stores an argument under a deadline and declares both; a deadline that has passed removes the key
    /// instead.
    /// </summary>
    internal static void Store(Execution execution, in Key key, int valueIndex, long deadlineMs)
    {
        if (deadlineMs >= 0 && execution.IsPast(deadlineMs))
        {
            execution.Keys.Statistics.ExpiredKeys++;
            if (!execution.Keys.Remove(in key))
                return;
            execution.Keys.Changed(in key, KeyEvent.Deleted);
            if (execution.Effects.IsRecording)
                execution.Effects.Expire(key.Span);
            return;
        }

        StoreValue(execution, in key, valueIndex, deadlineMs);
        execution.Keys.Changed(in key, KeyEvent.Set);
        if (deadlineMs < 0)
            return;
        execution.Keys.MarkChanged(in key, KeyEvent.Expire);
        if (execution.Effects.IsRecording)
            BeginSet(execution, in key, valueIndex).With("PXAT"u8).End(deadlineMs);
    }

    /// <summary>Records a SET of an argument, in place of the command; options may follow.</summary>
    internal static Effects BeginSet(Execution execution, in Key key, int valueIndex) =>
        execution.Effects.Begin("SET"u8).With(key.Span).With(execution.Argument(valueIndex));

    private static void SetWithDeadline(Execution execution, ExpireUnit unit, ReadOnlySpan<byte> command)
    {
        var expiry = new ExpireTime(unit, argumentIndex: 2);
        if (!expiry.TryResolve(execution, command, out long deadlineMs))
            return;
        Store(execution, execution.Key(1), 3, deadlineMs);
        execution.Reply.Ok();
    }

    private static Outcome SetWithOptions(Execution execution)
    {
        SetOptions options = default;
        if (!options.TryRead(execution, PlainArgumentCount))
            return Outcome.Done;
        long deadlineMs = options.KeepsDeadline ? StringStore.KeepDeadline : StringStore.NoDeadline;
        if (options.Expiry.Unit != ExpireUnit.None
            && !options.Expiry.TryResolve(execution, "set"u8, out deadlineMs))
            return Outcome.Done;
        Key key = execution.Key(1);
        EntryView entry = execution.Keys.FindForWrite(in key);
        bool needsString = options.WantsOldValue || options.Condition.ComparesValue;
        bool isWrongType = needsString && !entry.IsMissing && entry.Type != KeyType.String;
        if (options.Condition.ComparesValue && !entry.IsMissing && !isWrongType
            && execution.MustLeaveLoop(StringDigest.CostNs(entry)))
            return Outcome.OffLoop;

        // What replies the old value is a read, too; counted only where the command will not start again.
        if (options.WantsOldValue)
            execution.Keys.NoteLookup(in key, !entry.IsMissing);
        if (isWrongType)
        {
            execution.Reply.Error(Errors.WrongType);
            return Outcome.Done;
        }
        if (!options.Condition.TryDecide(execution, entry, out bool isMet))
            return Outcome.Done;
        if (options.WantsOldValue)
            execution.ReplyString(entry);
        else if (isMet)
            execution.Reply.Ok();
        else
            execution.Reply.Null();
        if (!isMet)
            return Outcome.Done;
        if (options.KeepsDeadline && !entry.IsMissing)
            execution.Keys.NoteSet(in key, entry.Type);
        Store(execution, in key, 2, deadlineMs);
        if (deadlineMs < 0 && execution.Effects.IsRecording)
            options.Record(execution);
        return Outcome.Done;
    }
}
