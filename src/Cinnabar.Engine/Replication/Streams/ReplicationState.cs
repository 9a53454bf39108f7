// What a server knows of its replication stream: the history (names and length) and the backlog (its newest
// bytes, which replicas follow). They change together, under one lock.
//
//   master    the journal feeds the stream from the moment at which the first replica came (Stream.Attach),
//             and stops when none has been there for repl-backlog-ttl
//   replica   the stream is the master's: the link appends its bytes verbatim once they are applied
//
//   Begin ──► there is a backlog ──► Append … ──► End: the next stream is a new one, with a new name
//
// Lock order: stripes, then the journal's drain, then this lock. Nothing waits while it is held.

using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Statistics;
using Cinnabar.Memory;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Streams;

/// <summary>A server's history and backlog. Thread-safe.</summary>
internal sealed class ReplicationState : IDisposable
{
    private readonly SharedBlockPool _pool;
    private readonly Lock _lock = new();
    private volatile ReplicationBacklog? _backlog;
    private long _retention;

    /// <param name="pool">Where the backlog's blocks come from.</param>
    /// <param name="configuration">The configuration.</param>
    /// <param name="journal">What feeds the stream of a master.</param>
    public ReplicationState(
        SharedBlockPool pool, ConfigurationRegistry configuration, ServerJournal journal)
    {
        _pool = pool;
        History = new ReplicationHistory(RandomIdentifier.New());
        Stream = new ReplicationStream(this, journal);
        configuration.Follow("repl-backlog-size", () => Resize(configuration.NumberOf("repl-backlog-size")));
    }

    /// <summary>The names and the length of the stream; its owner's lock is <see cref="Lock"/>.</summary>
    public ReplicationHistory History { get; }

    /// <summary>Guards history and backlog.</summary>
    public Lock Lock => _lock;

    /// <summary>The newest bytes of the stream; null: none are kept.</summary>
    public ReplicationBacklog? Backlog => _backlog;

    /// <summary>Feeds the stream of a master from the journal.</summary>
    public ReplicationStream Stream { get; }

    /// <summary>Called when bytes have been appended, on any thread, without the lock: has the
    /// replicas sent what there is.</summary>
    public Action? Grown { get; set; }

    /// <summary>What the link to a master has executed and received; only the link's thread counts
    /// there.</summary>
    public LoopStatistics Link { get; } = new();

    /// <summary>Full synchronisations of replicas.</summary>
    public long FullCount { get; set; }

    /// <summary>Replicas that went on where they were.</summary>
    public long PartialCount { get; set; }

    /// <summary>Replicas that wanted to and could not.</summary>
    public long RefusedPartialCount { get; set; }

    /// <summary>Bytes of the stream so far.</summary>
    public long Offset
    {
        get
        {
            lock (_lock)
                return History.Offset;
        }
    }

    /// <summary>The stream's name.</summary>
    public string Id
    {
        get
        {
            lock (_lock)
                return History.Id;
        }
    }

    /// <summary>The database that is selected at the end of a master's verbatim stream.</summary>
    public int Database { get; private set; }

    /// <summary>Keeps the stream from now on, if it is not kept.</summary>
    /// <returns>Whether a backlog was made.</returns>
    public bool Begin()
    {
        lock (_lock)
        {
            if (_backlog is not null)
                return false;
            _backlog = new ReplicationBacklog(_pool, History.Offset) { Retention = _retention };
            return true;
        }
    }

    /// <summary>Keeps nothing any more: what follows is another stream.</summary>
    public void End()
    {
        lock (_lock)
        {
            Drop();
            History.Rename(RandomIdentifier.New());
        }
    }

    /// <summary>The data of a master's stream were loaded: it goes on from there, and nothing before
    /// counts. Replicas of this server must have been disconnected.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="offset">Its bytes.</param>
    /// <param name="database">The database that is selected there.</param>
    public void Adopt(string id, long offset, int database = 0)
    {
        lock (_lock)
        {
            Drop();
            Database = database;
            History.Adopt(id, offset);
            _backlog = new ReplicationBacklog(_pool, offset) { Retention = _retention };
        }
    }

    /// <summary>A master's stored data were loaded: their stream goes on under this server's name.</summary>
    public void Resume(string earlierId, long offset)
    {
        lock (_lock)
        {
            Debug.Assert(_backlog is null, "the stream has begun");
            History.Resume(earlierId, offset);
            _backlog = new ReplicationBacklog(_pool, offset) { Retention = _retention };
        }
    }

    /// <summary>The stream goes on under another name: this server was promoted, or its master was.</summary>
    /// <param name="id">The name; null: a new one of this server.</param>
    public void Shift(string? id = null)
    {
        lock (_lock)
            History.Shift(id ?? RandomIdentifier.New());
    }

    /// <summary>Gives the stream a new name, and forgets the one before: no replica can go on with
    /// it.</summary>
    public void Rename()
    {
        lock (_lock)
            History.Rename(RandomIdentifier.New());
    }

    /// <summary>Takes bytes of the journal; by the drain.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            Debug.Assert(_backlog is not null, "a stream that is fed is kept");
            _backlog.Append(bytes);
            History.Advance(bytes.Length);
        }
    }

    /// <summary>Takes bytes of a master's stream, when they have been applied.</summary>
    /// <param name="bytes">A whole unit, or the next piece of one.</param>
    /// <param name="database">The database that is selected behind them.</param>
    public void AppendApplied(ReadOnlySpan<byte> bytes, int database)
    {
        lock (_lock)
        {
            _backlog?.Append(bytes);
            History.Advance(bytes.Length);
            Database = database;
        }

        Grown?.Invoke();
    }

    /// <summary>Starts the counters of synchronisations over.</summary>
    public void ResetStatistics() => (FullCount, PartialCount, RefusedPartialCount) = (0, 0, 0);

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
            Drop();
    }

    private void Drop()
    {
        _backlog?.Dispose();
        _backlog = null;
    }

    private void Resize(long retention)
    {
        lock (_lock)
        {
            _retention = retention;
            if (_backlog is { } backlog)
                backlog.Retention = retention;
        }
    }
}
