using System.IO;
using Cinnabar.Keyspace.Snapshots;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>Passes the copies of a snapshot on to what is made of it: one thread calls <see cref="Run"/>, or
/// <see cref="Step"/> again and again.</summary>
/// <param name="snapshot">Whose moment has been taken. The saver disposes it.</param>
/// <param name="consumer">Gets the keys.</param>
public sealed class SnapshotSaver(KeyspaceSnapshot snapshot, ISnapshotConsumer consumer)
{
    private const int WaitMs = 100;

    private readonly ISnapshotConsumer _consumer = consumer;
    private long _keyCount;
    private bool _hasBegun;
    private volatile bool _isAbandoned;

    /// <summary>The snapshot.</summary>
    public KeyspaceSnapshot Snapshot { get; } = snapshot;

    /// <summary>Keys written so far. From any thread.</summary>
    public long KeyCount => Interlocked.Read(ref _keyCount);

    /// <summary>What went wrong; null: nothing has.</summary>
    public Exception? Fault { get; private set; }

    /// <summary>Whether it has succeeded; for the end.</summary>
    public bool IsSaved { get; private set; }

    /// <summary>Whether the result is settled: the walk of a cancelled snapshot may still be under
    /// way.</summary>
    public bool IsSettled => IsSaved || Fault is not null || Snapshot.IsCancelled;

    /// <summary>Saves, to the end of the walk.</summary>
    /// <param name="settled">Called once as soon as the outcome is known.</param>
    public void Run(Action settled)
    {
        bool isTold = false;
        while (Step())
        {
            if (IsSettled && !isTold)
            {
                isTold = true;
                settled();
            }

            Snapshot.WaitForCopies(WaitMs);
        }

        if (!isTold)
            settled();
    }

    /// <summary>Has it end without the rest of the walk, because the loops have ended. From any
    /// thread.</summary>
    public void Abandon()
    {
        _isAbandoned = true;
        Snapshot.Cancel();
    }

    /// <summary>Writes what there is, without waiting.</summary>
    /// <returns>Whether more is to come.</returns>
    public bool Step()
    {
        if (!_hasBegun)
        {
            _hasBegun = true;
            Try(() => _consumer.Begin(Snapshot.Databases));
        }

        bool isOver;
        while (Snapshot.TryTakeCopies(out isOver) is { } copies)
        {
            if (!Snapshot.IsCancelled)
                Try(() => WriteAll(copies));
            Snapshot.Return(copies);
        }

        if (Snapshot.IsCancelled)
            _consumer.Discard();
        if (!isOver && !_isAbandoned)
            return true;
        End();
        return false;
    }

    private void WriteAll(EntryCopies copies)
    {
        while (!Snapshot.IsCancelled && copies.TryTake(out int database, out EntryView entry))
        {
            _consumer.Write(database, entry);
            Interlocked.Increment(ref _keyCount);
        }
    }

    private void End()
    {
        if (!Snapshot.IsCancelled)
        {
            Debug.Assert(KeyCount == Snapshot.KeyCount, "the snapshot has lost keys, or has some twice");
            Try(() =>
            {
                _consumer.End();
                IsSaved = true;
            });
        }
        else if (Snapshot.IsOutOfMemory)
        {
            Fault ??= new OutOfMemoryException("no memory for the pre-images of a snapshot");
        }

        _consumer.Discard();
        Snapshot.Dispose();
    }

    // A disk that fails, or a value that the file's version cannot express, fails the save and nothing else.
    private void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException
            or OutOfMemoryException or Rdb.Writing.RdbInexpressibleException)
        {
            Fault = fault;
            Snapshot.Cancel();
        }
    }
}
