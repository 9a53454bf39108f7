using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>A consumer of a group at work: what it reads and claims, and the changes that this
/// makes.</summary>
internal ref struct GroupSession
{
    private readonly StreamEditor _editor;
    private readonly ReadOnlySpan<byte> _consumerName;

    /// <summary>Finds the consumer or makes it; it was seen now.</summary>
    internal GroupSession(
        Execution execution, StreamEditor editor, scoped in Key key, in StreamGroup group,
        ReadOnlySpan<byte> consumerName)
    {
        Execution = execution;
        _editor = editor;
        Group = group;
        _consumerName = consumerName;
        if (StreamGroups.TryFindConsumer(editor.Stream, in group, consumerName, out Consumer))
        {
            Consumer = Consumer with { SeenMs = execution.NowMs };
            return;
        }
        Consumer = StreamGroups.CreateConsumer(
            ref editor.Stream, editor.Trees, in group, consumerName, execution.NowMs);
        execution.Keys.Changed(in key, KeyEvent.ConsumerCreated);
    }

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
        if (TryFind(id, out StreamPending old))
            StreamPendings.Update(ref _editor.Stream, _editor.Trees, in Group, in old, in delivered);
        else
            StreamPendings.Add(ref _editor.Stream, _editor.Trees, in Group, in delivered);
    }

    /// <summary>An entry is no longer pending.</summary>
    internal readonly void Forget(StreamId id) =>
        StreamPendings.Remove(ref _editor.Stream, _editor.Trees, in Group, id);

    /// <summary>Writes the group back.</summary>
    internal readonly void SaveGroup(ReadOnlySpan<byte> name) =>
        StreamGroups.Save(ref _editor.Stream, _editor.Trees, name, in Group);

    /// <summary>Writes the consumer back.</summary>
    internal readonly void SaveConsumer() => StreamGroups.SaveConsumer(
        ref _editor.Stream, _editor.Trees, in Group, _consumerName, in Consumer);
}
