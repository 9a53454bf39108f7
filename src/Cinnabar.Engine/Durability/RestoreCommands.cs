// RESTORE. The value is built before anything is changed (RdbValueLoader), so a payload that is refused
// leaves the key as it was, also with REPLACE.
//
// The journal gets the deadline as an instant, since RESTORE counts it from now; and a payload of a version
// that those who read the journal do not know (rdb-compatibility) is written anew, in one that they do.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Durability;

/// <summary>RESTORE.</summary>
internal static class RestoreCommands
{
    private const int PayloadIndex = 3;
    private const long NsPerByte = 2;

    /// <summary>RESTORE key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds | FREQ
    /// frequency].</summary>
    public static Outcome Restore(SessionExecution execution)
    {
        var options = new RestoreOptions();
        if (!options.TryRead(execution))
            return Outcome.Done;
        Key key = execution.Key(1);
        if (!options.IsReplace && !execution.Keys.Peek(in key).IsMissing)
        {
            execution.Reply.Error("BUSYKEY Target key name already exists."u8);
            return Outcome.Done;
        }

        if (!TryDeadline(execution, in options, out long deadlineMs)
            || !HasPayload(execution))
            return Outcome.Done;
        if (execution.MustLeaveLoop(Execution.EstimateNs(execution.Argument(PayloadIndex).Length, NsPerByte)))
            return Outcome.OffLoop;
        RdbValueLoader loader = execution.ValueLoader;
        if (!TryReadValue(execution, loader))
            return Outcome.Done;
        try
        {
            if (!TryRewrite(execution, loader, out RdbOutput? rewritten))
                return Outcome.Done;
            using (rewritten)
            {
                if (TryStore(execution, in options, loader, deadlineMs))
                    Record(execution, in options, deadlineMs, rewritten);
            }
        }
        finally
        {
            loader.Discard();
        }

        execution.Reply.Ok();
        return Outcome.Done;
    }

    // The deadline as an instant; -1: none.
    private static bool TryDeadline(Execution execution, in RestoreOptions options, out long deadlineMs)
    {
        if (!execution.TryInteger(2, out deadlineMs))
            return false;
        if (deadlineMs < 0)
        {
            execution.Reply.Error("ERR Invalid TTL value, must be >= 0"u8);
            return false;
        }

        if (deadlineMs == 0)
            deadlineMs = -1;
        else if (!options.IsAbsolute)
            deadlineMs = Math.Min(deadlineMs, long.MaxValue - execution.NowMs) + execution.NowMs;
        return true;
    }

    private static bool HasPayload(SessionExecution execution)
    {
        ReadOptions reading = execution.Engine.Data.Reading;
        var payload = new DumpedValue(execution.Argument(PayloadIndex));
        bool isSound = payload.IsWhole && (reading.IsUnchecked
            || ((payload.Version.IsKnown || reading.IsVersionRelaxed) && payload.IsIntact));
        if (!isSound)
            execution.Reply.Error("ERR DUMP payload version or checksum are wrong"u8);
        return isSound;
    }

    private static bool TryReadValue(SessionExecution execution, RdbValueLoader loader)
    {
        try
        {
            new DumpedValue(execution.Argument(PayloadIndex)).Read(loader);
            return true;
        }
        catch (RdbFormatException fault)
        {
            execution.Engine.Log.Write(LogLevel.Verbose,
                $"Internal error in RDB reading offset {fault.Offset} -> {fault.Message}");
            execution.Reply.Error("ERR Bad data format"u8);
            return false;
        }
    }

    // The payload for the journal, where that cannot have the client's; null: it can, or has it already.
    private static bool TryRewrite(
        SessionExecution execution, RdbValueLoader loader, out RdbOutput? rewritten)
    {
        rewritten = null;
        WriteOptions writing = execution.Engine.Data.Writing;
        var payload = new DumpedValue(execution.Argument(PayloadIndex));
        if (!execution.Effects.IsRecording || payload.Version.Number <= (int)writing.Compatibility)
            return true;
        RdbOutput output = writing.NewOutput();
        try
        {
            DumpPayload.Write(output, loader.View, writing.Compatibility);
            rewritten = output;
            return true;
        }
        catch (RdbInexpressibleException lack)
        {
            output.Dispose();
            if (execution.IsReplay)
                return true;
            execution.Reply.Error(Encoding.UTF8.GetBytes("ERR " + lack.TextFor(execution.Argument(1))));
            return false;
        }
    }

    // False: there is no key now, because its deadline has passed.
    private static bool TryStore(
        Execution execution, in RestoreOptions options, RdbValueLoader loader, long deadlineMs)
    {
        Key key = execution.Key(1);
        EntryView before = execution.Keys.Peek(in key);
        KeyType? old = before.IsMissing ? null : before.Type;
        bool isReplaced = execution.Keys.Remove(in key);
        if (deadlineMs >= 0 && execution.IsPast(deadlineMs))
        {
            if (!isReplaced)
                return false;
            execution.Keys.Changed(in key, KeyEvent.Deleted);
            if (execution.Effects.IsRecording)
                execution.Effects.Expire(key.Span);
            return false;
        }

        loader.Store(execution.Keys, in key, new RdbLoadOptions(deadlineMs, options.Use));
        execution.Keys.Changed(in key, KeyEvent.Restored);
        execution.Keys.NoteReplaced(execution.Keys.Database, in key, old);
        return true;
    }

    private static void Record(
        Execution execution, in RestoreOptions options, long deadlineMs, RdbOutput? rewritten)
    {
        bool isRelative = deadlineMs >= 0 && !options.IsAbsolute;
        if (!execution.Effects.IsRecording || (rewritten is null && !isRelative))
            return;
        const int OptionsIndex = PayloadIndex + 1;
        Effects effects = execution.Effects.Begin("RESTORE"u8).With(execution.Argument(1))
            .With(Math.Max(deadlineMs, 0))
            .With(rewritten is null ? execution.Argument(PayloadIndex) : rewritten.Written)
            .With(execution.Arguments, OptionsIndex, execution.ArgumentCount - OptionsIndex);
        if (isRelative)
            effects.With("ABSTTL"u8);
        effects.End();
    }
}
