using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Blocking;

/// <summary>
/// The waiters of a loop by the time when each is due: a binary heap in which every waiter knows its place,
/// so that one that ends early is removed at once. Only the loop uses it.
/// </summary>
internal sealed class WaiterHeap
{
    private readonly List<Waiter> _heap = [];

    /// <summary>Number of waiters.</summary>
    public int Count => _heap.Count;

    /// <summary>When the first is due, in Unix milliseconds; <see cref="long.MaxValue"/>: never.</summary>
    public long DueMs => _heap.Count == 0 ? long.MaxValue : _heap[0].DueMs;

    /// <summary>The one that is due first.</summary>
    public Waiter First => _heap[0];

    /// <summary>Adds a waiter; one that waits for ever is not kept.</summary>
    public void Add(Waiter waiter)
    {
        if (waiter.DueMs == long.MaxValue || waiter.HeapIndex >= 0)
            return;
        waiter.HeapIndex = _heap.Count;
        _heap.Add(waiter);
        Rise(waiter);
    }

    /// <summary>Removes a waiter, if it is there.</summary>
    public void Remove(Waiter waiter)
    {
        int index = waiter.HeapIndex;
        if (index < 0)
            return;
        waiter.HeapIndex = -1;
        Waiter last = _heap[^1];
        _heap.RemoveAt(_heap.Count - 1);
        if (last == waiter)
            return;
        Put(last, index);
        Rise(last);
        Sink(last);
    }

    private void Rise(Waiter waiter)
    {
        while (waiter.HeapIndex > 0)
        {
            Waiter parent = _heap[(waiter.HeapIndex - 1) / 2];
            if (parent.DueMs <= waiter.DueMs)
                return;
            Swap(parent, waiter);
        }
    }

    private void Sink(Waiter waiter)
    {
        while (true)
        {
            int child = (2 * waiter.HeapIndex) + 1;
            if (child >= _heap.Count)
                return;
            if (child + 1 < _heap.Count && _heap[child + 1].DueMs < _heap[child].DueMs)
                child++;
            if (_heap[child].DueMs >= waiter.DueMs)
                return;
            Swap(waiter, _heap[child]);
        }
    }

    private void Swap(Waiter upper, Waiter lower)
    {
        int index = upper.HeapIndex;
        Put(upper, lower.HeapIndex);
        Put(lower, index);
    }

    private void Put(Waiter waiter, int index)
    {
        _heap[index] = waiter;
        waiter.HeapIndex = index;
    }
}
