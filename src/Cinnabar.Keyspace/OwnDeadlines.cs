// The deadlines that a replica's own clients have set, in a stripe of a writable replica. What is past its
// deadline is left to the master, whose stream has a DEL of it; these keys are not the master's, so the
// replica removes them itself. Everything is in the index of deadlines, too, which goes on from there when
// the replica becomes a master.
//
// A key is in the queue once, under its earliest deadline; when that has come, a later one takes its place.
// (Where it was queued anew for an earlier deadline, the older place means nothing.) Keys are known by their
// hash: of two with one hash the later one is known.

using System.Collections.Generic;
using Cinnabar.Structures.Deadlines;

namespace Cinnabar.Keyspace;

/// <summary>Deadlines that clients of a replica have set. Guarded by the stripe's lock.</summary>
public sealed class OwnDeadlines
{
    private readonly Dictionary<(int Database, ulong Hash), (long LatestMs, long QueuedMs)> _known = [];
    private readonly PriorityQueue<(int Database, ulong Hash), long> _queue = new();

    /// <summary>Number of keys.</summary>
    public int Count => _known.Count;

    /// <summary>Keys of a replica whose deadlines its clients have set.</summary>
    public static long CountIn(Keyspace keyspace)
    {
        long count = 0;
        foreach (Stripe stripe in keyspace.Stripes)
            count += stripe.OwnDeadlines?.Count ?? 0;
        return count;
    }

    /// <summary>Forgets all of a replica that becomes a master. The caller holds all stripes.</summary>
    public static void Forget(Keyspace keyspace)
    {
        foreach (Stripe stripe in keyspace.Stripes)
            stripe.OwnDeadlines = null;
    }

    /// <summary>A key has a deadline.</summary>
    /// <param name="record">The deadline; of the key only its latest one counts.</param>
    public void Add(in DeadlineRecord record)
    {
        (int, ulong) key = (record.Database, record.Hash);
        bool isQueued = _known.TryGetValue(key, out (long LatestMs, long QueuedMs) known)
            && known.QueuedMs <= record.DeadlineMs;
        _known[key] = (record.DeadlineMs, isQueued ? known.QueuedMs : record.DeadlineMs);
        if (!isQueued)
            _queue.Enqueue(key, record.DeadlineMs);
    }

    /// <summary>Takes a key whose latest deadline has passed.</summary>
    /// <returns>False where there is none.</returns>
    public bool TryTakeDue(long nowMs, out DeadlineRecord record)
    {
        while (_queue.TryPeek(out (int Database, ulong Hash) key, out long queuedMs) && queuedMs <= nowMs)
        {
            _queue.Dequeue();
            if (!_known.TryGetValue(key, out (long LatestMs, long QueuedMs) known)
                || known.QueuedMs != queuedMs)
                continue;
            if (known.LatestMs <= nowMs)
            {
                _known.Remove(key);
                record = new DeadlineRecord(known.LatestMs, key.Database, key.Hash);
                return true;
            }

            _known[key] = (known.LatestMs, known.LatestMs);
            _queue.Enqueue(key, known.LatestMs);
        }

        record = default;
        return false;
    }
}
