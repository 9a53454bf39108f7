using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>A consumer of a group at work: what it reads and claims, and the changes that this
/// makes.</summary>
internal ref struct GroupSession
{
    private readonly StreamEditor _editor;
    private readonly int _keyIndex;
    private readonly int _groupIndex;

    /// <summary>Finds the consumer or makes it; it was seen now.</summary>
    /// <param name="execution">The command's execution.</param>
    /// <param name="editor">The stream.</param>
    /// <param name="keyIndex">The argument of its key.</param>
    /// <param name="group">The group.</param>
    /// <param name="groupIndex">The argument of its name; the consumer's follows.</param>
    internal GroupSession(
        Execution execution, StreamEditor editor, int keyIndex, in StreamGroup group, int groupIndex)
    {
        Execution = execution;
        _editor = editor;
        Group = group;
        (_keyIndex, _groupIndex) = (keyIndex, groupIndex);
        ReadOnlySpan<byte> consumerName = ConsumerName;
        if (StreamGroups.TryFindConsumer(editor.Stream, in group, consumerName, out Consumer))
        {
            Consumer = Consumer with { SeenMs = execution.NowMs };
            return;
        }
        Consumer = StreamGroups.CreateConsumer(
            ref editor.Stream, editor.Trees, in group, consumerName, execution.NowMs);
        execution.Keys.Changed(execution.Key(keyIndex), KeyEvent.ConsumerCreated);
        if (execution.Effects.IsRecording)
        {
            execution.Effects.Begin("XGROUP"u8).With("CREATECONSUMER"u8).With(execution.Argument(keyIndex))
                .With(GroupName).End(consumerName);
        }
    }

    private readonly ReadOnlySpan<byte> GroupName => Execution.Argument(_groupIndex);

    private readonly ReadOnlySpan<byte> ConsumerName => Execution.Argument(_groupIndex + 1);

    /// <summary>The command's execution.</summary>
    internal Execution Execution { get; }

    /// <summary>The group; <see cref="SaveGroup"/> writes it back.</summary>
    internal StreamGroup Group;

    /// <summary>The consumer; <see cref="SaveConsumer"/> writes it back.</summary>
    internal StreamConsumer Consumer;

    internal readonly StreamTree Stream => _editor.Stream;

    /// <summary>Notes that the consumer got something.</summary>
    internal void NoteActive() => Consumer = Consumer with { ActiveMs = Execution.NowMs };

    /// <summary>What is pending of an entry.</summary>
    internal readonly bool TryFind(StreamId id, out StreamPending pending) =>
        StreamPendings.TryFind(Stream, in Group, id, out pending);

    /// <summary>An entry is the consumer's now, whether it was pending or not.</summary>
    internal readonly void Deliver(StreamId id, long deliveredMs, ulong count)
    {
        var delivered = new StreamPending(id, Consumer.Number, deliveredMs, count);
        Deliver(in delivered);
        if (Execution.Effects.IsRecording)
            RecordClaim(in delivered);
    }

    /// <summary>An entry that is pending with the consumer is delivered to it once more. The journal does not
    /// get that, as in Redis.</summary>
    internal readonly void Repeat(StreamId id, ulong count)
    {
        Debug.Assert(TryFind(id, out StreamPending old) && old.Consumer == Consumer.Number,
            "only what is pending with the consumer is read again");
        var delivered = new StreamPending(id, Consumer.Number, Execution.NowMs, count);
        Deliver(in delivered);
    }

    private readonly void Deliver(in StreamPending delivered)
    {
        StreamId id = delivered.Id;
        Debug.Assert(delivered.DeliveredMs >= 0 && delivered.DeliveredMs <= Execution.NowMs,
            "it was delivered before it was asked for");
        if (TryFind(id, out StreamPending old))
            StreamPendings.Update(ref _editor.Stream, _editor.Trees, in Group, in old, in delivered);
        else
            StreamPendings.Add(ref _editor.Stream, _editor.Trees, in Group, in delivered);
    }

    /// <summary>An entry that has been deleted is no longer pending.</summary>
    internal readonly void Forget(in StreamPending pending)
    {
        bool wasPending = StreamPendings.Remove(ref _editor.Stream, _editor.Trees, in Group, pending.Id);
        Debug.Assert(wasPending, "what is forgotten was pending");
        if (!Execution.Effects.IsRecording) return;
        // A claim of what was deleted makes Redis 7.0 forget it.
        if (Execution.Effects.Level >= CommandLevel.Redis70)
        {
            RecordClaim(in pending);
            return;
        }
        Execution.Effects.Begin("XACK"u8).With(Execution.Argument(_keyIndex)).With(GroupName)
            .With(pending.Id).End();
    }

    /// <summary>Records how far the group has got.</summary>
    internal readonly void RecordGroup()
    {
        if (Execution.Effects.IsRecording)
            StreamEffects.GroupAdvanced(Execution, Execution.Argument(_keyIndex), GroupName, in Group);
    }

    /// <summary>Writes the group back.</summary>
    internal readonly void SaveGroup(ReadOnlySpan<byte> name) =>
        StreamGroups.Save(ref _editor.Stream, _editor.Trees, name, in Group);

    /// <summary>Writes the consumer back.</summary>
    internal readonly void SaveConsumer() => StreamGroups.SaveConsumer(
        ref _editor.Stream, _editor.Trees, in Group, ConsumerName, in Consumer);

    private readonly void RecordClaim(in StreamPending pending) =>
        Execution.Effects.Begin("XCLAIM"u8).With(Execution.Argument(_keyIndex))
            .With(Execution.Arguments, _groupIndex, 2).With(0)
            .With(pending.Id).With("TIME"u8).With(pending.DeliveredMs)
            .With("RETRYCOUNT"u8).With((long)pending.DeliveryCount)
            .With("FORCE"u8).With("JUSTID"u8).With("LASTID"u8).With(Group.LastId).End();
}
