// The clients that wait until replicas have acknowledged an offset (WAIT), or have it on disk (WAITAOF). The
// offset is the stream's end when the command runs: it covers all that the client can have seen written.
//
//   WAIT ─► Mark: the offset ─► enough have it? ─► the reply
//                                  └─ no ─► Add: asks the replicas (REPLCONF GETACK * in the stream), waits
//                                              acknowledgement ─► Wake: enough now? ─► the command runs again
//
// GETACK is asked at most once at one place of the stream: what is appended after it asks anew. A replica
// answers with the offset before GETACK itself, so that is what a client waits for that comes after it.
//
// An entry of a client that no longer waits (timeout, CLIENT UNBLOCK) does no harm: a waiter is claimed once.
// Such entries go when others are added.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Replication.Streams;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>Wakes clients that wait for acknowledgements. Thread-safe.</summary>
/// <param name="server">The server.</param>
/// <param name="replicas">Its replicas.</param>
internal sealed class AcknowledgementWaits(IReplicationServer server, ReplicaSet replicas)
{
    private const int SweptCountMin = 16;

    private readonly IReplicationServer _server = server;
    private readonly ReplicaSet _replicas = replicas;
    private readonly Lock _lock = new();
    private readonly List<Entry> _entries = [];
    private int _sweptCount = SweptCountMin;
    private int _count;
    private long _askedStart = -1;
    private long _askedEnd = -1;

    private static ReadOnlySpan<byte> Question => "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n"u8;

    /// <summary>The offset that covers all that has been recorded so far.</summary>
    public long Mark()
    {
        _server.Journal.DrainAll();
        lock (_lock)
        {
            long end = _server.Replication.Offset;
            return end == _askedEnd ? _askedStart : end;
        }
    }

    /// <summary>How many replicas have acknowledged an offset.</summary>
    /// <param name="offset">The offset.</param>
    /// <param name="isForDisk">Whether only what is on their disks counts.</param>
    public int CountOf(long offset, bool isForDisk)
    {
        int count = 0;
        foreach (Replica replica in _replicas.All)
        {
            long reached = isForDisk ? replica.DurableOffset : replica.AcknowledgedOffset;
            count += replica.HasAllData && reached >= offset ? 1 : 0;
        }

        return count;
    }

    /// <summary>Has the command of a waiter run again when enough replicas have acknowledged. On its loop,
    /// by the command.</summary>
    /// <param name="waiter">What waits.</param>
    /// <param name="offset">The offset, from <see cref="Mark"/>.</param>
    /// <param name="countMin">How many are enough.</param>
    /// <param name="isForDisk">Whether only what is on their disks counts.</param>
    public void Add(Waiter waiter, long offset, long countMin, bool isForDisk)
    {
        var entry = new Entry(waiter, offset, countMin, isForDisk);
        lock (_lock)
        {
            if (_entries.Exists(one => one.Waiter == waiter))
                return;
            if (_entries.Count >= _sweptCount)
                Sweep();
            _entries.Add(entry);
            // ORDER: a full fence: the entry is counted before the acknowledgements are looked at; Wake is
            // called after they have changed.
            Interlocked.Exchange(ref _count, _entries.Count);
            Ask();
        }

        if (IsEnough(entry))
            Retry(waiter);
    }

    /// <summary>A replica has acknowledged, has come or gone. From any thread.</summary>
    public void Wake()
    {
        // ORDER: see Add.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _count) == 0)
            return;
        lock (_lock)
        {
            _entries.RemoveAll(entry =>
            {
                bool isEnough = IsEnough(entry);
                if (isEnough)
                    Retry(entry.Waiter);
                return isEnough;
            });
            Volatile.Write(ref _count, _entries.Count);
        }
    }

    private bool IsEnough(Entry entry) => CountOf(entry.Offset, entry.IsForDisk) >= entry.CountMin;

    private static void Retry(Waiter waiter)
    {
        IExecutionLoop loop = waiter.Execution.Loop;
        loop.Run(() => loop.Retry(waiter));
    }

    private void Sweep()
    {
        _entries.RemoveAll(static entry => entry.Waiter.Execution.Waiter != entry.Waiter);
        _sweptCount = Math.Max(SweptCountMin, 2 * _entries.Count);
    }

    private void Ask()
    {
        // While clients are paused the stream must stand still: a replica is to catch up with it.
        if (_replicas.CountOf(ReplicaPhase.Online) == 0 || _server.Gates.Has(ServerGates.Paused))
            return;
        _server.Journal.DrainAll();
        long start = _server.Replication.Offset;
        if (start == _askedEnd)
            return;
        _server.Journal.AppendForReplicas(Question);
        _server.Journal.DrainAll();
        long end = _server.Replication.Offset;
        // Others may have appended something between: then a client that comes now asks for itself.
        (_askedStart, _askedEnd) = end == start + Question.Length ? (start, end) : (-1, -1);
    }

    private sealed record Entry(Waiter Waiter, long Offset, long CountMin, bool IsForDisk);
}
