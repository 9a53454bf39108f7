using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>Takes snapshots of a server's keys, one at a time, and has each saved on a thread of its
/// own.</summary>
internal sealed class Snapshots(IDataServer server) : IDisposable
{
    private readonly IDataServer _server = server;
    private volatile SnapshotJob? _current;
    private SnapshotJob? _last;
    private Thread? _thread;

    /// <summary>The one that is being saved; null: there is none, or its outcome is known.</summary>
    public SnapshotJob? Current => _current;

    /// <summary>How many there have been, those for SAVE included.</summary>
    public long Count { get; private set; }

    /// <summary>How long all stripes were held for the last one's moment, in microseconds: what a fork
    /// is for others.</summary>
    public long LastMomentUs { get; private set; }

    /// <summary>Whether no snapshot can be taken now: one is being saved, or the walk of one that was
    /// cancelled has not ended.</summary>
    public bool IsBusy => _current is not null || _server.Keyspace.HasSnapshot;

    /// <summary>Runs what begins a snapshot with all stripes, unless none can be taken by then: a command on
    /// another loop may have been first. Else it is to be tried again later.</summary>
    public void TryBegin(Action begin) => AllStripes.TryRun(_server.Keyspace, () =>
    {
        if (!IsBusy)
            begin();
    });

    /// <summary>Takes the moment and begins to save; the caller holds all stripes, and has not changed
    /// anything that it has not committed.</summary>
    /// <param name="kind">What for.</param>
    /// <param name="make">Makes what it is saved with; gets what ends its waits.</param>
    /// <param name="settled">Called once, when the outcome is known: on the saver's thread.</param>
    public SnapshotJob Begin(
        SnapshotKind kind, Func<CancellationToken, ISnapshotConsumer> make, Action<SnapshotJob> settled)
    {
        Debug.Assert(!IsBusy, "one snapshot at a time");
        long startNs = _server.Clock.MonotonicNanoseconds;
        var cancellation = new CancellationTokenSource();
        KeyspaceSnapshot snapshot = KeyspaceSnapshot.Take(_server.Keyspace, BoundsOf(kind));
        var saver = new SnapshotSaver(snapshot, make(cancellation.Token));
        var job = new SnapshotJob(kind, saver, cancellation, startNs);
        _current = _last = job;
        if (_server.SaverScheduler is { } schedule)
            schedule(() => StepBy(job, settled));
        else
            StartThread(job, settled);
        _server.NotifyLoops();
        LastMomentUs = (_server.Clock.MonotonicNanoseconds - startNs) / 1000;
        Count++;
        return job;
    }

    /// <summary>Gives up the one that is being saved, and whatever is left of it. The loops have
    /// ended.</summary>
    public void Dispose()
    {
        _last?.Abandon();
        if (_thread is not null)
            _thread.Join();
        else
            _last?.Step();
    }

    // No client waits for a replica's network: pre-images may grow until a replica is too far behind in the
    // stream, which has a record for each of them (client-output-buffer-limit replica).
    private SnapshotOptions BoundsOf(SnapshotKind kind)
    {
        SnapshotOptions bounds = _server.SnapshotBounds with { WalkResumed = _server.NotifyLoops };
        return kind == SnapshotKind.Replicas ? bounds with { BacklogBytesMax = long.MaxValue }
            : bounds with { HoldWriters = HoldWriters };
    }

    private void StartThread(SnapshotJob job, Action<SnapshotJob> settled)
    {
        _thread = new Thread(() =>
        {
            ThreadRank.TakeUsualSlices();
            job.Run(() => Settle(job, settled));
        })
        {
            Name = "saver",
            IsBackground = true,
        };
        _thread.Start();
    }

    private bool StepBy(SnapshotJob job, Action<SnapshotJob> settled)
    {
        bool hasMore = job.Step();
        if (_current == job && (!hasMore || job.IsSettled))
            Settle(job, settled);
        return hasMore;
    }

    private void Settle(SnapshotJob job, Action<SnapshotJob> settled)
    {
        Debug.Assert(_current == job, "the outcome is known already");
        settled(job);
        _current = null;
        job.Complete();
    }

    private void HoldWriters(bool isHeld)
    {
        if (isHeld)
            _server.WriteHold.Begin(WriteHoldReason.Snapshot);
        else
            _server.WriteHold.End(WriteHoldReason.Snapshot);
    }
}
