using System;
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Lanes;

/// <summary>
/// The threads of a slow lane: as many as there is work at once (which holds at least a stripe each, or did);
/// they end when they have had nothing to do for a while. One that holds no stripe any more ranks below the
/// loops' from then on, so that it costs nobody anything on a processor that it shares with them; it ends
/// with that work, for there is no way back. While it holds some, others may wait for it. Where the system
/// gives no thread (each needs two descriptors to begin with), its work waits until it does. Thread-safe.
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
    /// <param name="start">How a thread is started; none: as usual.</param>
    public LaneThreads(Action<ThreadStart>? start = null) => _start = start ?? StartThread;

    /// <summary>Runs an item soon.</summary>
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

    /// <summary>Tries again to start the threads that there were none for.</summary>
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

    /// <summary>Has the calling thread, one of these, rank below the loops'.</summary>
    public void LowerThis()
    {
        lock (_items)
            _lowered.Add(Environment.CurrentManagedThreadId);
        ThreadRank.TakeLower();
    }

    /// <summary>Lets the threads end when they have run what was added.</summary>
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

    // The exception is the runtime's word for every reason why there is no thread.
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
