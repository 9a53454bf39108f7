using Cinnabar.Platform;

namespace Cinnabar.Engine.Lanes;

/// <summary>
/// The threads of a slow lane: one for each concurrent work item (which holds at least a stripe, or did);
/// they end after a while without work. A thread that has released its stripes runs at a lower rank than the
/// loops, so that it does not delay them on a shared processor; it ends with that work, since a rank cannot
/// be raised again. While it holds stripes, others may wait for it. If the system gives no thread (each needs
/// two descriptors to start), its work waits until it does. Thread-safe.
/// </summary>
internal sealed class LaneThreads : IDisposable
{
    private const int IdleMsMax = 10_000;

    private readonly Queue<IThreadPoolWorkItem> _items = [];
    private readonly HashSet<int> _lowered = [];
    private readonly Action<ThreadStart> _start;
    private int _idleCount;
    private volatile int _lackingCount;
    private bool _isDisposed;

    /// <summary>Makes it, without a thread.</summary>
    /// <param name="start">Starts a thread; null: the usual way.</param>
    public LaneThreads(Action<ThreadStart>? start = null) => _start = start ?? StartThread;

    /// <summary>Queues an item.</summary>
    public void Add(IThreadPoolWorkItem item)
    {
        lock (_items)
        {
            _items.Enqueue(item);
            if (_items.Count <= _idleCount)
                Monitor.Pulse(_items);
            else
                _lackingCount += TryStart() ? 0 : 1;
        }
    }

    /// <summary>Tries again to start missing threads.</summary>
    public void StartLacking()
    {
        if (_lackingCount == 0)
            return;
        lock (_items)
        {
            while (_lackingCount > 0 && TryStart())
                _lackingCount--;
        }
    }

    /// <summary>Makes the calling thread, one of these, rank below the loops'.</summary>
    public void LowerThis()
    {
        lock (_items)
            _lowered.Add(Environment.CurrentManagedThreadId);
        ThreadRank.TakeLower();
    }

    /// <summary>Ends the threads after the queued work.</summary>
    public void Dispose()
    {
        lock (_items)
        {
            _isDisposed = true;
            Monitor.PulseAll(_items);
        }
    }

    private static void StartThread(ThreadStart run) =>
        new Thread(run) { IsBackground = true, Name = "cinnabar-lane" }.Start();

    // The runtime throws this for every failure to start a thread.
    private bool TryStart()
    {
        try
        {
            _start(Run);
            return true;
        }
        catch (OutOfMemoryException)
        {
            return false;
        }
    }

    private void Run()
    {
        // A loop's thread made this one, which has its slices until it says otherwise.
        ThreadRank.TakeUsualSlices();
        while (Take() is { } item)
            item.Execute();
    }

    private IThreadPoolWorkItem? Take()
    {
        lock (_items)
        {
            if (_lowered.Remove(Environment.CurrentManagedThreadId))
                return null;
            _idleCount++;
            bool mayWait = true;
            while (_items.Count == 0 && mayWait && !_isDisposed)
                mayWait = Monitor.Wait(_items, IdleMsMax);
            _idleCount--;
            return _items.TryDequeue(out IThreadPoolWorkItem? item) ? item : null;
        }
    }
}
