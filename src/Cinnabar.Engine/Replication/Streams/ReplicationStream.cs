using Cinnabar.Engine.Journaling;
using Cinnabar.Persistence.Journal;

namespace Cinnabar.Engine.Replication.Streams;

/// <summary>The journal's sink that makes the replication stream of a master. A replica has it detached: its
/// stream is its master's.</summary>
/// <param name="state">What the stream goes to.</param>
/// <param name="journal">The journal.</param>
internal sealed class ReplicationStream(ReplicationState state, ServerJournal journal) : IJournalSink
{
    private readonly ReplicationState _state = state;
    private readonly ServerJournal _journal = journal;

    /// <summary>Whether the journal feeds the stream.</summary>
    public bool IsAttached { get; private set; }

    /// <inheritdoc/>
    public bool IsForReplicas => true;

    /// <summary>Has the journal feed the stream, which begins with SELECT. The caller holds all
    /// stripes.</summary>
    public void Attach()
    {
        Debug.Assert(!IsAttached && _state.Backlog is not null, "a stream that is kept is fed once");
        _journal.AttachStream(this);
        IsAttached = true;
    }

    /// <summary>Ends that, if it was so: the stream has all that was committed. The caller holds all
    /// stripes.</summary>
    public void Detach()
    {
        if (!IsAttached)
            return;
        IsAttached = false;
        _journal.DetachStream();
    }

    /// <inheritdoc/>
    public void Write(long offset, ReadOnlySpan<byte> bytes) => _state.Append(bytes);

    /// <inheritdoc/>
    public void WriteAnnotation(ReadOnlySpan<byte> bytes)
    {
    }

    /// <inheritdoc/>
    public void Switch(long offset)
    {
    }

    /// <inheritdoc/>
    public void EndDrain(long position) => _state.Grown?.Invoke();
}
