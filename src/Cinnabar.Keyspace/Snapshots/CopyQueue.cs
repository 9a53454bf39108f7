namespace Cinnabar.Keyspace.Snapshots;

/// <summary>Chunks on their way to the saver, in order, and empty ones on their way back. Thread-safe; makes
/// an object only when more chunks are in use than ever before.</summary>
internal sealed class CopyQueue(Keyspace keyspace)
{
    private readonly Keyspace _keyspace = keyspace;
    private readonly object _monitor = new();
    private EntryCopies? _first;
    private EntryCopies? _last;
    private EntryCopies? _empty;
    private bool _isComplete;
    private bool _isWaiting;

    /// <summary>An empty chunk.</summary>
    public EntryCopies TakeEmpty()
    {
        lock (_monitor)
        {
            if (_empty is not { } copies)
                return new EntryCopies(_keyspace);
            _empty = copies.Next;
            copies.Next = null;
            return copies;
        }
    }

    /// <summary>Takes an empty chunk back.</summary>
    public void Return(EntryCopies copies)
    {
        Debug.Assert(copies.Count == 0 && copies.Next is null, "the chunk is in use");
        lock (_monitor)
            (copies.Next, _empty) = (_empty, copies);
    }

    /// <summary>Adds a chunk behind the others.</summary>
    public void Add(EntryCopies copies)
    {
        Debug.Assert(copies.Next is null, "the chunk is in a list");
        lock (_monitor)
        {
            Debug.Assert(!_isComplete, "the last chunk was added before");
            if (_last is null)
                _first = copies;
            else
                _last.Next = copies;
            _last = copies;
            Wake();
        }
    }

    /// <summary>States that no more chunks will come.</summary>
    public void Complete()
    {
        lock (_monitor)
        {
            _isComplete = true;
            Wake();
        }
    }

    /// <summary>Takes the first chunk; null: there is none now.</summary>
    /// <param name="isLast">Whether none will come any more either.</param>
    public EntryCopies? TryTake(out bool isLast)
    {
        lock (_monitor)
        {
            if (_first is not { } copies)
            {
                isLast = _isComplete;
                return null;
            }

            _first = copies.Next;
            if (_first is null)
                _last = null;
            copies.Next = null;
            isLast = false;
            return copies;
        }
    }

    /// <summary>Waits until there is a chunk or none will come, or <see cref="Interrupt"/>.</summary>
    public void Wait(int timeoutMs)
    {
        lock (_monitor)
        {
            if (_first is not null || _isComplete)
                return;
            _isWaiting = true;
            Monitor.Wait(_monitor, timeoutMs);
            _isWaiting = false;
        }
    }

    /// <summary>Ends a wait.</summary>
    public void Interrupt()
    {
        lock (_monitor)
            Wake();
    }

    private void Wake()
    {
        if (_isWaiting)
            Monitor.PulseAll(_monitor);
    }
}
