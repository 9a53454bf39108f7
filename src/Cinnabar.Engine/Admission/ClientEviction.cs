// maxmemory-clients: where all clients together take more than the limit, those that take most are
// disconnected, until the rest is within it. CLIENT NO-EVICT protects a client; what it takes counts.
//
//   each loop, after a turn:  measures its sessions ──► its sum ─┐
//                                                    all sums ───┴─ more than the limit? ── measure all,
//                                                                                           kill the largest
//
// Clients are chosen by buckets of sizes, a power of two each, from the top, as in Redis: among clients of
// like size it does not matter which one goes, and none needs to be sorted.
//
// Why the sessions are measured anew and no sum is kept: their memory changes in many places, also on other
// threads. A measurement reads a few fields a session. With many sessions a loop waits between two, so that
// they take a twentieth of its time at most. Without the directive nothing is measured.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Admission;

/// <summary>Disconnects clients that take too much memory together. Thread-safe.</summary>
/// <param name="settings">The configuration's values.</param>
/// <param name="sessions">All sessions.</param>
/// <param name="clock">The clock.</param>
/// <param name="log">Where each client is named.</param>
/// <param name="loopCount">Number of loops.</param>
internal sealed class ClientEviction(
    Settings settings, SessionRegistry sessions, Clock clock, ILog log, int loopCount)
{
    // A client below 2^15 bytes is in the first bucket, one of 2^32 or more in the last.
    private const int ExponentFirst = 15;
    private const int BucketCount = 19;
    private const int PauseFactor = 20;
    private const int FewSessions = 64;

    private readonly Settings _settings = settings;
    private readonly SessionRegistry _sessions = sessions;
    private readonly Clock _clock = clock;
    private readonly ILog _log = log;
    private readonly Lock _lock = new();
    private readonly LoopShare[] _shares = new LoopShare[loopCount];
    private long _evictedCount;

    /// <summary>Clients disconnected since the start or CONFIG RESETSTAT.</summary>
    public long EvictedCount => Volatile.Read(ref _evictedCount);

    /// <summary>Bytes that all clients may take; 0: there is no limit.</summary>
    public long LimitBytes
    {
        get
        {
            long limit = _settings.MaxMemoryClients;
            return limit >= 0 ? limit : (long)(_settings.MaxMemory / 100.0 * -limit);
        }
    }

    /// <summary>Starts the count over.</summary>
    public void ResetStatistics() => Volatile.Write(ref _evictedCount, 0);

    /// <summary>Measures the sessions of a loop; disconnects clients where all together take too much. On the
    /// loop, after a turn.</summary>
    public void Look(ISessionLoop loop)
    {
        long limit = LimitBytes;
        if (limit == 0)
            return;
        ref LoopShare share = ref _shares[loop.Index];
        long startNs = _clock.MonotonicNanoseconds;
        if (startNs < share.NextNs)
            return;
        long bytes = 0;
        foreach (Session session in loop.Sessions.All)
            bytes += IsCounted(session) ? ClientDescription.MemoryOf(session) : 0;
        Volatile.Write(ref share.Bytes, bytes);
        long endNs = _clock.MonotonicNanoseconds;
        bool areFew = loop.Sessions.All.Length <= FewSessions;
        share.NextNs = areFew ? 0 : endNs + (PauseFactor * (endNs - startNs));
        if (SumOfAll() > limit)
            Evict(limit);
    }

    private long SumOfAll()
    {
        long sum = 0;
        foreach (ref LoopShare share in _shares.AsSpan())
            sum += Volatile.Read(ref share.Bytes);
        return sum;
    }

    // One loop at a time, by measurements of its own: two would disconnect twice as many as needed.
    private void Evict(long limit)
    {
        lock (_lock)
        {
            Span<long> bucketBytes = stackalloc long[BucketCount];
            bucketBytes.Clear();
            long sum = 0;
            foreach (Session session in _sessions.Unordered)
            {
                if (!IsCounted(session))
                    continue;
                long bytes = ClientDescription.MemoryOf(session);
                sum += bytes;
                if (!session.IsNoEvict)
                    bucketBytes[BucketOf(bytes)] += bytes;
            }

            for (int bucket = BucketCount - 1; bucket >= 0 && sum > limit; bucket--)
            {
                if (bucketBytes[bucket] > 0)
                    sum -= EvictFrom(bucket, sum - limit);
            }
        }
    }

    /// <summary>Disconnects clients of a bucket until enough is freed.</summary>
    /// <returns>The bytes that they took.</returns>
    private long EvictFrom(int bucket, long wanted)
    {
        long freed = 0;
        foreach (Session session in _sessions.Unordered)
        {
            if (freed >= wanted)
                break;
            if (!IsCounted(session) || session.IsNoEvict)
                continue;
            long bytes = ClientDescription.MemoryOf(session);
            if (BucketOf(bytes) != bucket)
                continue;
            freed += bytes;
            _evictedCount++;
            _log.Write(LogLevel.Notice,
                $"Evicting client: {ClientDescription.ForLog(session, _clock, _settings)}");
            session.IsKilled = true;
            session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session });
        }

        return freed;
    }

    // Replicas have a limit of their own (client-output-buffer-limit).
    private static bool IsCounted(Session session) => !session.IsKilled && !session.IsClosed
        && ClientDescription.KindOf(session) != ClientKind.Replica;

    private static int BucketOf(long bytes) =>
        Math.Clamp(BitOperations.Log2((ulong)bytes) - ExponentFirst + 1, 0, BucketCount - 1);

    // Two cache lines: only its loop writes it, but for others to read.
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct LoopShare
    {
        public long Bytes;
        public long NextNs;
    }
}
