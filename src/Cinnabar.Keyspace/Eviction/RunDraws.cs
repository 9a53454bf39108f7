// Which runs the next samples are of, drawn two samples ahead, so that their memory is loaded meanwhile:
//
//   draw ── the bucket is loaded ──► one sample on ── its entries are loaded ──► one sample on ── visited
//
// The entries of a sample lie anywhere in memory: without this, waiting for them took a third of a SET that
// evicts a key. A draw is a hash in the stripe whose turn it will be. No address is kept from one sample to
// the next, since a turn of the loop may end between them: the hash leads to the bucket anew, and to another
// one where the table has changed meanwhile, which is as good.

using Cinnabar.Keyspace.Candidates;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Eviction;

/// <summary>Draws runs, stripe after stripe. One thread, within a loop's turn.</summary>
internal sealed unsafe class RunDraws
{
    private const int Distance = 2;
    private const int Mask = 3;
    private const int NoDatabase = -1;

    private readonly Keyspace _keyspace;
    private readonly int _stripeShift;
    private readonly Draw[] _draws = new Draw[Mask + 1];
    private RandomSource _random;
    private long _turn;

    /// <summary>Begins at a random stripe.</summary>
    public RunDraws(Keyspace keyspace, ulong seed)
    {
        _keyspace = keyspace;
        _random = new RandomSource(seed);
        int count = keyspace.Stripes.Length;
        Debug.Assert(BitOperations.IsPow2(count), "the stripes are a power of two");
        _stripeShift = 64 - BitOperations.Log2((uint)count);
        _turn = (long)_random.NextBelow((ulong)count);
        _draws.AsSpan().Fill(new Draw(0, NoDatabase));
    }

    /// <summary>The random numbers of all choices.</summary>
    public ref RandomSource Random => ref _random;

    /// <summary>The stripe whose turn it is.</summary>
    public Stripe Stripe => StripeAt(_turn);

    /// <summary>Goes on to the next stripe, and begins to load what the samples after it will need.</summary>
    public void Advance(EvictionPolicy policy)
    {
        _turn++;
        ref Draw far = ref _draws[(_turn + Distance) & Mask];
        far = New(StripeAt(_turn + Distance), policy);
        if (far.Database != NoDatabase)
            TableRun.PrefetchBucket(_keyspace.Directory(far.Hash, far.Database), far.Hash);
        ref Draw near = ref _draws[(_turn + 1) & Mask];
        if (near.Database != NoDatabase)
            TableRun.PrefetchEntries(_keyspace.Directory(near.Hash, near.Database), near.Hash);
    }

    /// <summary>The run of the stripe whose turn it is, which is locked.</summary>
    /// <param name="policy">Which keys may go.</param>
    /// <param name="start">Where the run begins.</param>
    /// <returns>Its table; null where the stripe has no key that may go.</returns>
    public DatabaseTable? Take(EvictionPolicy policy, out ulong start)
    {
        Draw draw = _draws[_turn & Mask];
        _draws[_turn & Mask] = new Draw(0, NoDatabase);
        // The keys of that database may have gone meanwhile, while others of the stripe are there.
        if (draw.Database == NoDatabase
            || Stripe.Table(draw.Database) is not { } table || CountIn(table, policy) == 0)
            draw = New(Stripe, policy);
        start = draw.Hash;
        return draw.Database == NoDatabase ? null : Stripe.Table(draw.Database);
    }

    /// <summary>How many keys of a stripe may go. Read without the lock it may be a moment old.</summary>
    public long CountIn(Stripe stripe, EvictionPolicy policy)
    {
        long count = 0;
        for (int database = 0; database < _keyspace.DatabaseCount; database++)
            count += stripe.Table(database) is { } table ? CountIn(table, policy) : 0;
        return count;
    }

    private static long CountIn(DatabaseTable table, EvictionPolicy policy) =>
        policy.IsVolatileOnly ? table.VolatileCount : table.Entries.Count;

    private Stripe StripeAt(long turn) => _keyspace.Stripes[(int)(turn & (_keyspace.Stripes.Length - 1))];

    /// <summary>A run in a stripe, in a database in proportion to its keys.</summary>
    private Draw New(Stripe stripe, EvictionPolicy policy)
    {
        long count = CountIn(stripe, policy);
        long rank = count <= 0 ? 0 : (long)_random.NextBelow((ulong)count);
        for (int database = 0; database < _keyspace.DatabaseCount && count > 0; database++)
        {
            if (stripe.Table(database) is not { } table)
                continue;
            long own = CountIn(table, policy);
            if (rank < own)
                return new Draw(HashIn(stripe.Index, _random.Next()), database);
            rank -= own;
        }

        return new Draw(0, NoDatabase);
    }

    private ulong HashIn(int stripe, ulong hash) =>
        _stripeShift == 64 ? hash : ((ulong)stripe << _stripeShift) | (hash & ((1UL << _stripeShift) - 1));

    private readonly record struct Draw(ulong Hash, int Database);
}
