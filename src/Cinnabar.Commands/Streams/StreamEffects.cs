using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Records what commands did to a stream, in place of the commands.</summary>
internal static class StreamEffects
{
    /// <summary>Adds an ID as an argument.</summary>
    internal static Effects With(this Effects effects, StreamId id)
    {
        Span<byte> text = stackalloc byte[StreamIdText.BytesMax];
        return effects.With(text[..StreamIdText.Format(id, text)]);
    }

    /// <summary>Records XADD with the ID that it has chosen.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="options">Its options.</param>
    /// <param name="idIndex">The argument of the ID.</param>
    /// <param name="id">The ID.</param>
    /// <param name="after">The stream with the entry, and trimmed.</param>
    internal static void Added(
        Execution execution, in TrimOptions options, int idIndex, StreamId id, StreamTree after)
    {
        Effects effects = execution.Effects;
        // As in snapshots: only what such an entry leaves behind makes 8.6 necessary.
        bool knowsProducers = effects.Level >= CommandLevel.Redis74;
        bool hasOldForm = (options.IsPolicyGiven && effects.Level < CommandLevel.Newest)
            || (options.ProducerIndex != 0 && !knowsProducers);
        if (options.IsIdComplete && options.IsIdGiven && !options.Trim.IsApproximate && !hasOldForm)
            return;
        effects.Begin("XADD"u8).With(execution.Argument(1));
        if (options.IsNoMakeStream)
            effects.With("NOMKSTREAM"u8);
        if (options.ProducerIndex != 0 && knowsProducers)
        {
            int start = options.ProducerIndex - 1;
            effects.With(execution.Arguments, start, options.IsIdempotentAuto ? 2 : 3);
        }

        WithTrim(execution, in options, after);
        if (options.IsIdComplete && options.IsIdGiven)
            effects.With(execution.Argument(idIndex));
        else
            effects.With(id);
        effects.With(execution.Arguments, idIndex + 1, execution.ArgumentCount - idIndex - 1).End();
    }

    /// <summary>Records XTRIM, whose outcome depends on pages where it is approximate.</summary>
    internal static void Trimmed(Execution execution, in TrimOptions options, StreamTree after)
    {
        bool hasOldForm = options.IsPolicyGiven && execution.Effects.Level < CommandLevel.Newest;
        if (!options.Trim.IsApproximate && !hasOldForm)
            return;
        execution.Effects.Begin("XTRIM"u8).With(execution.Argument(1));
        WithTrim(execution, in options, after);
        execution.Effects.End();
    }

    /// <summary>Records that a group has got to an entry.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="key">The stream's key.</param>
    /// <param name="name">The group's name.</param>
    /// <param name="group">The group.</param>
    internal static void GroupAdvanced(
        Execution execution, ReadOnlySpan<byte> key, ReadOnlySpan<byte> name, in StreamGroup group)
    {
        Effects effects = execution.Effects.Begin("XGROUP"u8).With("SETID"u8).With(key).With(name)
            .With(group.LastId);
        if (effects.Level >= CommandLevel.Redis70)
            effects.With("ENTRIESREAD"u8).With(group.EntriesRead);
        effects.End();
    }

    /// <summary>Records a command of which the version knows the first arguments only.</summary>
    internal static void Shortened(Execution execution, int argumentCount) =>
        execution.Effects.Begin(execution.Argument(0))
            .With(execution.Arguments, 1, argumentCount - 1).End();

    // Exact, and from what is left: what was cut off is at the beginning, or what of the beginning no group
    // wants any more. An older version gets the entries that went with another policy one by one.
    private static void WithTrim(Execution execution, in TrimOptions options, StreamTree after)
    {
        Effects effects = execution.Effects;
        bool isOld = effects.Level < CommandLevel.Newest;
        if (!options.IsTrim || (isOld && options.Policy != ReferencePolicy.Keep))
            return;
        if (options.IsPolicyGiven && !isOld)
            effects.With(options.Policy switch
            {
                ReferencePolicy.Keep => "KEEPREF"u8,
                ReferencePolicy.Delete => "DELREF"u8,
                _ => "ACKED"u8,
            });
        Debug.Assert(options.ThresholdIndex > 2, "no threshold was read");
        bool isById = options.Trim.IsById
            && (!options.Trim.IsApproximate || options.Policy != ReferencePolicy.Acknowledged);
        effects.With(isById ? "MINID"u8 : "MAXLEN"u8);
        // As in Redis an exact threshold stays as the client has written it.
        if (options.Trim.IsApproximate || execution.Argument(options.ThresholdIndex - 1) is [(byte)'='])
            effects.With("="u8);
        if (!options.Trim.IsApproximate)
            effects.With(execution.Argument(options.ThresholdIndex));
        else if (isById)
            effects.With(after.Length == 0 ? StreamId.Max : after.FirstId);
        else
            effects.With(after.Length);
    }
}
