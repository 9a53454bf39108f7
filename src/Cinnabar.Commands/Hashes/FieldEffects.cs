using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Commands.Hashes;

/// <summary>Records what commands did to fields and their deadlines, in place of the commands; the key is
/// argument 1.</summary>
internal static class FieldEffects
{
    /// <summary>Whether the journal cannot have the deadline that a command is about to give to fields: then
    /// an error is replied. A replay, of a file or of a master's stream, drops nothing.</summary>
    internal static bool RefusesDeadline(Execution execution, long deadlineMs)
    {
        if (deadlineMs < 0 || execution.IsReplay || execution.IsPast(deadlineMs)
            || execution.Effects is not { IsRecording: true, Level: < CommandLevel.Redis74 })
            return false;
        string text = CommandLevelNames.Refusal(execution.Effects.Level.Name(), "deadlines of fields",
            $"key '{Encoding.UTF8.GetString(execution.Argument(1))}'");
        execution.Reply.Error(Encoding.UTF8.GetBytes("ERR " + text));
        return true;
    }

    /// <summary>Records that fields were removed: every <paramref name="step"/>-th argument.</summary>
    internal static void Removed(Execution execution, int first, int end, int step = 1)
    {
        Debug.Assert(first < end, "no field was removed");
        Effects effects = execution.Effects.Begin("HDEL"u8).With(execution.Argument(1));
        for (int index = first; index < end; index += step)
            effects.With(execution.Argument(index));
        effects.End();
    }

    /// <summary>Records that fields have no deadline any more: an older version gets their values, since
    /// HSET takes a deadline away.</summary>
    internal static void Persist(Execution execution, HashView hash, int first, int end)
    {
        Debug.Assert(first < end, "no field has changed");
        Effects effects = execution.Effects;
        bool isOld = effects.Level < CommandLevel.Redis74;
        effects.Begin(isOld ? "HSET"u8 : "HPERSIST"u8).With(execution.Argument(1));
        if (!isOld)
            effects.With("FIELDS"u8).With(end - first);
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        for (int index = first; index < end; index++)
        {
            ReadOnlySpan<byte> field = execution.Argument(index);
            if (!isOld)
                effects.With(field);
            else if (hash.TryGet(field, out FieldText value))
                effects.With(field).With(value.AsText(scratch));
        }

        effects.End();
    }

    /// <summary>Records new deadlines of fields, every <paramref name="step"/>-th argument.</summary>
    internal static void Expire(Execution execution, long deadlineMs, int first, int end, int step = 1)
    {
        Debug.Assert(deadlineMs >= 0 && first < end, "no field gets a deadline");
        Effects effects = execution.Effects.Begin("HPEXPIREAT"u8).With(execution.Argument(1))
            .With(deadlineMs).With("FIELDS"u8).With((end - first + step - 1) / step);
        for (int index = first; index < end; index += step)
            effects.With(execution.Argument(index));
        effects.End();
    }

    /// <summary>Records HEXPIRE and its like: its condition, which is met in the replay, too, stands once
    /// and before the fields, as Redis before 8.6 wants it.</summary>
    internal static void Expire(
        Execution execution, long deadlineMs, int optionsIndex, in FieldArguments fields)
    {
        Effects effects = execution.Effects.Begin("HPEXPIREAT"u8).With(execution.Argument(1))
            .With(deadlineMs);
        int fieldsIndex = fields.First - 2;
        Debug.Assert(execution.Is(fieldsIndex, "fields"u8), "FIELDS and their number come first");
        if (optionsIndex < fieldsIndex)
            effects.With(execution.Argument(optionsIndex));
        else if (fields.End < execution.ArgumentCount)
            effects.With(execution.Argument(fields.End));
        effects.With(execution.Arguments, fieldsIndex, fields.End - fieldsIndex).End();
    }

    /// <summary>Records HSETEX, which has set its fields.</summary>
    internal static void Set(Execution execution, in FieldOptions options, HashView hash)
    {
        Effects effects = execution.Effects;
        int count = options.EndField - options.FirstField;
        long deadlineMs = options.DeadlineMs;
        if (effects.Level == CommandLevel.Newest)
        {
            effects.Begin("HSETEX"u8).With(execution.Argument(1));
            if (deadlineMs == HashStore.KeepDeadline)
                effects.With("KEEPTTL"u8);
            else if (deadlineMs >= 0)
                effects.With("PXAT"u8).With(deadlineMs);
            effects.With("FIELDS"u8).With(options.Count)
                .With(execution.Arguments, options.FirstField, count).End();
            return;
        }

        effects.Begin("HSET"u8).With(execution.Argument(1))
            .With(execution.Arguments, options.FirstField, count).End();
        if (deadlineMs >= 0)
            Expire(execution, deadlineMs, options.FirstField, options.EndField, step: 2);
        for (int index = options.FirstField; index < options.EndField; index += 2)
        {
            if (deadlineMs == HashStore.KeepDeadline)
                KeepDeadline(execution, hash, index);
        }
    }

    /// <summary>Records that a field, argument 2, got a value and kept its deadline.</summary>
    internal static void SetValue(Execution execution, HashView hash, ReadOnlySpan<byte> value)
    {
        const int field = 2;
        Effects effects = execution.Effects;
        bool hasDeadline = hash.TryGetDeadline(execution.Argument(field), out long deadlineMs)
            && deadlineMs >= 0;
        if (hasDeadline && effects.Level == CommandLevel.Newest)
        {
            effects.Begin("HSETEX"u8).With(execution.Argument(1)).With("KEEPTTL"u8).With("FIELDS"u8).With(1)
                .With(execution.Argument(field)).End(value);
            return;
        }

        effects.Begin("HSET"u8).With(execution.Arguments, 1, 2).End(value);
        KeepDeadline(execution, hash, field);
    }

    // HSET takes a deadline away.
    private static void KeepDeadline(Execution execution, HashView hash, int index)
    {
        if (hash.TryGetDeadline(execution.Argument(index), out long deadlineMs) && deadlineMs >= 0)
            Expire(execution, deadlineMs, index, index + 1);
    }
}
