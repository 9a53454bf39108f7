// Chooses and removes keys under a policy of maxmemory-policy. Each loop has an evictor; all share the
// stripes' pools.
//
//   next stripe in turn ── lock ── a run of a table ──► its pool ──► best score of each stripe
//                                                                        │ the highest of all
//   that stripe ── lock ── take its best ── still the same? ── remove ◄──┘
//                                                              declare, record
//
// An attempt samples one stripe, so all are sampled alike, and evicts from the stripe with the best candidate
// of all, so the choice is that of one pool over the whole key space. One stripe is locked at a time, never
// waited for, and none while a command holds its own: eviction cannot take part in a deadlock.
//
// A sample is a run of neighbouring buckets (TableRun), drawn ahead (RunDraws): up to 14 entries for two
// cache lines of table. Where only a few keys have a deadline and the policy evicts only these, runs find too
// few of them; the index of deadlines has them (DeadlineIndex.CopyEarliest), and for volatile-ttl it is the
// best source anyway.
//
// Limits: best scores are read without a lock and may be a moment old. LFU counts that have decayed since a
// key was sampled are not seen until it is sampled again.

using Cinnabar.Keyspace.Candidates;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Deadlines;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Eviction;

/// <summary>Evicts keys, one at a time. One thread.</summary>
public sealed unsafe class Evictor : IDisposable
{
    private const int RunCountMin = 10;
    private const int LongestUnusedRunMin = 8;
    private const int LeastUsedRunMin = 14;
    private const int SparseRunCountMax = 512;
    private const int SparseShare = 16;
    private const int RecordCount = 8;
    private const int RecordBudget = 512;
    private const int DropCount = 8;

    private readonly Keyspace _keyspace;
    private readonly KeyspaceAccess _access;
    private readonly RunDraws _draws;

    /// <summary>Makes one.</summary>
    /// <param name="keyspace">The keys.</param>
    /// <param name="statistics">Where it counts what it evicts; its thread's own.</param>
    /// <param name="seed">Of its random choices.</param>
    public Evictor(Keyspace keyspace, KeyspaceStatistics statistics, ulong seed)
    {
        _keyspace = keyspace;
        _access = new KeyspaceAccess(keyspace, statistics);
        _draws = new RunDraws(keyspace, seed);
    }

    /// <summary>How many entries a sample has at least (<c>maxmemory-samples</c>).</summary>
    public int SampleCount { get; set; }

    /// <summary>Evicts one key. The caller holds no stripe.</summary>
    public EvictionResult TryEvict(long nowMs)
    {
        EvictionPolicy policy = _keyspace.EvictionPolicy;
        if (!policy.Evicts)
            return EvictionResult.Nothing;
        bool isWaiting = false;
        for (int tried = 0; tried < _keyspace.Stripes.Length; tried++)
        {
            _draws.Advance(policy);
            Stripe stripe = _draws.Stripe;
            if (_draws.CountIn(stripe, policy) == 0 && !stripe.HasDetached)
                continue;
            isWaiting = true;
            if (!stripe.Lock.TryEnter())
                continue;
            if (stripe.HasDetached)
            {
                stripe.DropSlice(DropCount);
                stripe.Lock.Exit();
                return EvictionResult.Freed;
            }

            if (Sample(stripe, policy, nowMs) is { } best && EvictBest(best, policy))
                return EvictionResult.Freed;
        }

        return isWaiting ? EvictionResult.Waiting : EvictionResult.Nothing;
    }

    /// <inheritdoc/>
    public void Dispose() => _access.Effects.Dispose();

    /// <summary>Adds a sample of a stripe, which is locked, to its pool.</summary>
    /// <returns>The stripe with the best candidate, locked; null where another thread is busy in
    /// both.</returns>
    private Stripe? Sample(Stripe stripe, EvictionPolicy policy, long nowMs)
    {
        Begin(stripe, nowMs);
        stripe.Candidates.Use(policy);
        if (_draws.Take(policy, out ulong start) is { } table)
            Sample(stripe, table, policy, start);
        _keyspace.BestCandidates.Note(stripe.Index, stripe.Candidates.BestScore);
        Stripe best = _keyspace.Stripes[
            _keyspace.BestCandidates.IndexOfBest(stripe.Index, stripe.Candidates.BestScore)];
        if (best == stripe)
            return stripe;
        stripe.Lock.Exit();
        if (best.Lock.TryEnter())
        {
            Begin(best, nowMs);
            best.Candidates.Use(policy);
            return best;
        }

        // Its own best is good enough where another thread is busy in the best stripe of all.
        if (!stripe.Lock.TryEnter())
            return null;
        Begin(stripe, nowMs);
        return stripe;
    }

    private void Begin(Stripe stripe, long nowMs)
    {
        stripe.TimeMs = Math.Max(stripe.TimeMs, nowMs);
        _access.Begin(0, stripe.TimeMs);
    }

    private void Sample(Stripe stripe, DatabaseTable table, EvictionPolicy policy, ulong start)
    {
        var score = new EvictionScore(policy, _keyspace.Frequency, _access.NowMs);
        bool isSparse = policy.IsVolatileOnly && table.VolatileCount * SparseShare < table.Entries.Count;
        var visitor = new Visitor
        {
            Score = score,
            Pool = stripe.Candidates,
            Seed = _keyspace.Seed,
            Table = table.Identity,
            WantedCount = RunCountOf(policy.Order),
        };
        if (isSparse || policy.Order == EvictionOrder.EarliestDeadline)
            OfferEarliest(stripe, ref visitor);
        if (policy.Order == EvictionOrder.Random && !policy.IsVolatileOnly)
            visitor.Visit(table.Entries.Sample(ref _draws.Random));
        else
            table.Entries.VisitRun(SparseRunCountMax, start, ref visitor);
    }

    // With the pools of all stripes four entries are worth five samples: more make the choice nearer to exact
    // LRU, which loses in loops what it gains elsewhere. LFU gains by more.
    private int RunCountOf(EvictionOrder order) => order switch
    {
        EvictionOrder.Random => 1,
        EvictionOrder.LeastRecentlyUsed or EvictionOrder.LeastRecentlyModified =>
            Math.Max(LongestUnusedRunMin, SampleCount * 4 / 5),
        EvictionOrder.LeastFrequentlyUsed => Math.Max(LeastUsedRunMin, SampleCount),
        _ => Math.Max(RunCountMin, SampleCount),
    };

    private static void OfferEarliest(Stripe stripe, ref Visitor visitor)
    {
        Span<DeadlineRecord> records = stackalloc DeadlineRecord[RecordCount];
        int count = stripe.Deadlines.CopyEarliest(records, RecordBudget);
        foreach (ref readonly DeadlineRecord record in records[..count])
        {
            int database = stripe.DatabaseOf(record.Database);
            if (database < 0 || stripe.Table(database) is not { } table)
                continue;
            int index = 0;
            for (byte* entry = table.Entries.FindByHash(record.Hash, ref index); entry != null;
                 entry = table.Entries.FindByHash(record.Hash, ref index))
            {
                if (KeyEntry.HasDeadline(entry) && KeyEntry.Deadline(entry) == record.DeadlineMs)
                    visitor.Offer(entry, record.Hash, table.Identity);
            }
        }
    }

    /// <summary>Evicts the best candidate of a stripe that is still what it was, and releases the
    /// stripe.</summary>
    private bool EvictBest(Stripe stripe, EvictionPolicy policy)
    {
        Debug.Assert(stripe.Lock.IsHeld, "a key is evicted under its stripe's lock");
        var score = new EvictionScore(policy, _keyspace.Frequency, _access.NowMs);
        ulong best = stripe.Candidates.BestScore;
        bool isEvicted = false;
        // Behind candidates that are out of date may be worse ones than other stripes have.
        while (!isEvicted && stripe.Candidates.BestScore == best
            && stripe.Candidates.TryTake(out EvictionCandidate candidate))
            isEvicted = TryEvict(stripe, in candidate, in score);
        _access.Effects.CommitOwn();
        _access.Commit();
        _keyspace.BestCandidates.Note(stripe.Index, stripe.Candidates.BestScore);
        stripe.Lock.Exit();
        return isEvicted;
    }

    private bool TryEvict(Stripe stripe, in EvictionCandidate candidate, in EvictionScore score)
    {
        int database = stripe.DatabaseOf(candidate.Table);
        if (database < 0 || stripe.Table(database) is not { } table)
            return false;
        int index = 0;
        for (byte* entry = table.Entries.FindByHash(candidate.Hash, ref index); entry != null;
             entry = table.Entries.FindByHash(candidate.Hash, ref index))
        {
            if (!score.Allows(entry) || score.MarkOf(entry) != candidate.Mark
                || !table.Entries.TryFind(candidate.Hash, KeyEntry.KeySpan(entry), out SlotReference slot))
                continue;
            if (score.Of(entry) == EvictionScore.Expired)
                _access.Expire(stripe, table, in slot, database);
            else
                Evict(stripe, table, in slot, database);
            return true;
        }

        return false;
    }

    private void Evict(Stripe stripe, DatabaseTable table, in SlotReference slot, int database)
    {
        ReadOnlySpan<byte> key = KeyEntry.KeySpan(slot.Entry);
        _access.Statistics.EvictedKeys++;
        _access.Declare(stripe, database, key, KeyEvent.Evicted);
        if (_access.Effects.IsRecording)
            _access.Effects.Remove(database, key, isEvicted: true);
        _access.RemoveAt(stripe, table, slot);
    }

    private struct Visitor : IRunVisitor
    {
        public EvictionScore Score;
        public EvictionPool Pool;
        public Structures.Hashing.HashSeed Seed;
        public int Table;
        public int WantedCount;

        public readonly bool WantsMore => WantedCount > 0;

        // SAFETY: the table hands out live entries of a stripe that the evictor holds.
        public void Visit(byte* entry)
        {
            if (!Score.Allows(entry))
                return;
            WantedCount--;
            ulong score = Score.Of(entry);
            if (Pool.Wants(score))
                Offer(entry, KeyEntry.Hash(entry, in Seed), Table);
        }

        public readonly void Offer(byte* entry, ulong hash, int table)
        {
            ulong score = Score.Of(entry);
            if (Pool.Wants(score))
                Pool.Offer(new EvictionCandidate(hash, table, Score.MarkOf(entry), score));
        }
    }
}
