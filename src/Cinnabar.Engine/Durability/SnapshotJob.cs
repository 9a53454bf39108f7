using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>A snapshot that is being saved, or was.</summary>
/// <param name="kind">What it is for.</param>
/// <param name="saver">Saves it.</param>
/// <param name="cancellation">Ends the waits of what it makes.</param>
/// <param name="startedNs">Its moment, nanoseconds of the monotonic clock.</param>
internal sealed class SnapshotJob(
    SnapshotKind kind, SnapshotSaver saver, CancellationTokenSource cancellation, long startedNs)
{
    private readonly CancellationTokenSource _cancellation = cancellation;
    private readonly SnapshotSaver _saver = saver;
    private readonly List<Action> _waiting = [];
    private readonly long _startedNs = startedNs;
    private bool _isComplete;

    /// <summary>What it is for.</summary>
    public SnapshotKind Kind { get; } = kind;

    /// <summary>The keys of the moment.</summary>
    public KeyspaceSnapshot Snapshot => _saver.Snapshot;

    /// <summary>Keys written so far.</summary>
    public long KeyCount => _saver.KeyCount;

    /// <summary>Whether it was given up without a fault.</summary>
    public bool IsCancelled => !_saver.IsSaved && _saver.Fault is null;

    /// <summary>Whether it has succeeded; once it is settled.</summary>
    public bool IsSaved => _saver.IsSaved;

    /// <summary>Why it failed; null: it has not, or is cancelled.</summary>
    public Exception? Fault => _saver.Fault;

    /// <summary>How long ago its moment was, in whole seconds.</summary>
    public long AgeS(Clock clock) => (clock.MonotonicNanoseconds - _startedNs) / 1_000_000_000;

    /// <summary>Gives it up. Its end follows on its own thread.</summary>
    public void Cancel()
    {
        _cancellation.Cancel();
        Snapshot.Cancel();
    }

    /// <summary>Has an action run when the outcome is known and another snapshot may be taken; at once where
    /// that is so. On any thread.</summary>
    public void WhenComplete(Action action)
    {
        lock (_waiting)
        {
            if (!_isComplete)
            {
                _waiting.Add(action);
                return;
            }
        }

        action();
    }

    /// <summary>Runs what waits for it.</summary>
    public void Complete()
    {
        lock (_waiting)
        {
            Debug.Assert(!_isComplete, "it is complete already");
            _isComplete = true;
        }

        foreach (Action action in _waiting)
            action();
    }

    /// <summary>Does what can be done now.</summary>
    /// <returns>Whether there is more.</returns>
    public bool Step() => _saver.Step();

    /// <summary>Whether the outcome is known.</summary>
    public bool IsSettled => _saver.IsSettled;

    /// <summary>Saves, to the end.</summary>
    public void Run(Action settled) => _saver.Run(settled);

    /// <summary>Ends it when the loops have ended: its walk goes no further.</summary>
    public void Abandon()
    {
        _saver.Abandon();
        _cancellation.Cancel();
    }
}
