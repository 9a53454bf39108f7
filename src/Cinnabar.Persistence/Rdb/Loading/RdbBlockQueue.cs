namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Hands blocks from thread to thread, in order. Thread-safe.</summary>
internal sealed class RdbBlockQueue
{
    private readonly Queue<RdbBlock> _blocks = [];
    private bool _isClosed;

    /// <summary>Adds a block.</summary>
    public void Add(RdbBlock block)
    {
        lock (_blocks)
        {
            _blocks.Enqueue(block);
            Monitor.Pulse(_blocks);
        }
    }

    /// <summary>Takes the first block; waits for one.</summary>
    /// <returns>Null: there is none, and none will come.</returns>
    public RdbBlock? Take()
    {
        lock (_blocks)
        {
            while (_blocks.Count == 0 && !_isClosed)
                Monitor.Wait(_blocks);
            return _blocks.TryDequeue(out RdbBlock? block) ? block : null;
        }
    }

    /// <summary>No more blocks will come.</summary>
    public void Close()
    {
        lock (_blocks)
        {
            _isClosed = true;
            Monitor.PulseAll(_blocks);
        }
    }
}
