// The keys that change at a source. A thread reads its keyspace events, so that none waits there, and queues
// each key that is not queued already: the key is then copied as it is at that time, so one copy serves for
// all events before it.
//
//   source ──events──► [ key | key | key ] ──Take──► being copied ──Done
//           ──PONG──►   a mark behind the last
//
// A PING on the same connection tells how far the copying has come: when its answer has come, all events of
// changes before it have, and when the keys before its mark are done, all those changes are here.

using Cinnabar.Engine.Statistics;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Receives the events of a source and queues the keys that changed.</summary>
internal sealed class EventFeed : IDisposable
{
    private const int PollMs = 50;
    private const int PingMs = 500;
    private const int SilentMsMax = 30_000;
    private const int QueuedMax = 8_000_000;
    private const string Pattern = "__keyevent@*__:*";

    private readonly SourceLink _link;
    private readonly ImportProgress _progress;
    private readonly int _databaseCount;
    private readonly Thread _thread;
    private readonly object _lock = new();
    private readonly Queue<ImportKey> _queue = new();
    private readonly HashSet<ImportKey> _queued = [];
    private long _addedCount;
    private long _doneCount;
    private long _pingedTick;
    private long _pingedMs;
    private bool _isAwaitingPong;
    private (long Count, long Ms) _mark;
    private long _syncedMs;
    private volatile string? _fault;
    private volatile bool _isDisposed;

    /// <summary>Connects and, where there are events, subscribes to them.</summary>
    /// <param name="address">The source.</param>
    /// <param name="task">What it is part of.</param>
    /// <param name="hasEvents">Whether the source makes events.</param>
    /// <exception cref="ImportException">It cannot connect.</exception>
    public EventFeed(ImportAddress address, IImportTask task, bool hasEvents)
    {
        (_progress, _databaseCount) = (task.Progress, task.DatabaseCount);
        _link = task.ConnectSource(address);
        HasEvents = hasEvents && !_link.Call("PSUBSCRIBE", Pattern).IsError;
        _thread = new Thread(Run) { Name = "cinnabar-events", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Whether events come.</summary>
    public bool HasEvents { get; }

    /// <summary>Why it ended; null: it goes on.</summary>
    public string? Fault => _fault;

    /// <summary>Keys that are queued or being copied.</summary>
    public long PendingCount
    {
        get
        {
            lock (_lock)
                return _addedCount - _doneCount;
        }
    }

    /// <summary>Up to when all changes have been copied, Unix time in milliseconds.</summary>
    public long SyncedMs => Interlocked.Read(ref _syncedMs);

    /// <summary>Takes queued keys of one database; the caller reports them as done.</summary>
    public List<byte[]> Take(int countMax, out int database)
    {
        Debug.Assert(countMax > 0, "no key is asked for");
        List<byte[]> keys = [];
        database = 0;
        lock (_lock)
        {
            while (keys.Count < countMax && _queue.TryPeek(out ImportKey key)
                && (keys.Count == 0 || key.Database == database))
            {
                database = key.Database;
                keys.Add(key.Name);
                _queued.Remove(_queue.Dequeue());
            }
        }

        return keys;
    }

    /// <summary>The keys that were taken have been copied.</summary>
    public void Done(int count)
    {
        lock (_lock)
        {
            _doneCount += count;
            Debug.Assert(_doneCount <= _addedCount - _queue.Count, "what is done was taken");
            Note();
        }
    }

    /// <summary>Queues a key; from any thread.</summary>
    public void Add(ImportKey key)
    {
        lock (_lock)
        {
            if (!_queued.Add(key))
                return;
            _queue.Enqueue(key);
            _addedCount++;
            if (_queue.Count > QueuedMax)
                _fault = "too many changed keys wait to be copied";
            Monitor.Pulse(_lock);
        }
    }

    /// <summary>Waits until a key is queued, for some time.</summary>
    public void Wait(int waitMs)
    {
        lock (_lock)
        {
            if (_queue.Count == 0)
                Monitor.Wait(_lock, waitMs);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isDisposed = true;
        _link.Abandon();
        _thread.Join();
        _link.Dispose();
    }

    private void Run()
    {
        try
        {
            while (!_isDisposed && _fault is null)
            {
                Ping();
                _link.Poll(PollMs);
                while (_link.TryTake() is { } reply)
                    See(reply);
            }
        }
        catch (ImportException fault)
        {
            _fault = fault.Message;
        }
    }

    private void Ping()
    {
        long tick = Environment.TickCount64;
        if (_isAwaitingPong && tick - _pingedTick > SilentMsMax)
            throw new ImportException($"{_link} has sent no events and answered no PING for 30 seconds");
        if (_isAwaitingPong || tick - _pingedTick < PingMs)
            return;
        (_isAwaitingPong, _pingedTick) = (true, tick);
        _pingedMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        _link.Add("PING");
        _link.Send();
    }

    private void See(Reply reply)
    {
        if (reply.IsError)
            throw new ImportException($"{_link} does not answer PING beside events: {reply.Text}");
        if (reply.Items is [{ Text: "pmessage" }, _, { } channel, { } key])
        {
            _progress.AddEvent();
            if (TryDatabase(channel.Text, out int database))
                Add(database, channel.Text, key.Bytes);
        }
        else if (reply.Text == "PONG" || reply.Items is [{ Text: "pong" }, ..])
        {
            lock (_lock)
            {
                _isAwaitingPong = false;
                // A mark that the copying has not reached stays: under a steady load it is reached, too.
                if (_doneCount >= _mark.Count)
                    _mark = (_addedCount, _pingedMs);
                Note();
            }
        }
    }

    // COPY names the database that it copied from, whichever it copied to.
    private void Add(int database, string channel, byte[] key)
    {
        Add(new ImportKey(database, key));
        for (int other = 0; other < _databaseCount && channel.EndsWith(":copy_to", StringComparison.Ordinal);
            other++)
            Add(new ImportKey(other, key));
    }

    // __keyevent@DATABASE__:event
    private static bool TryDatabase(string channel, out int database)
    {
        int first = channel.IndexOf('@') + 1;
        int end = channel.IndexOf("__:", StringComparison.Ordinal);
        database = 0;
        return first > 0 && end > first && int.TryParse(channel.AsSpan(first, end - first),
            NumberStyles.None, CultureInfo.InvariantCulture, out database);
    }

    private void Note()
    {
        Debug.Assert(_mark.Count <= _addedCount, "the mark is behind what was queued");
        if (_mark.Ms > 0 && _doneCount >= _mark.Count)
            Interlocked.Exchange(ref _syncedMs, _mark.Ms);
    }
}
