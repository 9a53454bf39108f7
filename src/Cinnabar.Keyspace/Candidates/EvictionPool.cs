// The best candidates for eviction that the samples of a stripe have met so far, worst first.
//
//   | score 3 | score 7 | score 7 | score 9 | ... 16 |     the next to go is the last
//
// A sample is seldom better than what earlier samples have left, so most entries cost one comparison with the
// first. Keeping the best of many samples is what makes the choice nearly exact (the idea is that of Redis
// 3). A candidate may be out of date: the key was used, changed or removed meanwhile. Its mark tells when it
// is taken.
//
// For LRU it is shorter: there is a pool for each stripe, of which there are 16 or more. With longer ones the
// choice is nearer to exact LRU, which finds nothing in a loop that is a little larger than the memory, and
// finds no more in other traces.

namespace Cinnabar.Keyspace.Candidates;

/// <summary>The candidates of one stripe, guarded by its lock.</summary>
internal sealed class EvictionPool
{
    private const int CountMax = 16;
    private const int LongestUnusedCountMax = 3;

    private readonly EvictionCandidate[] _items = new EvictionCandidate[CountMax];
    private int _countMax;

    /// <summary>The policy that the scores belong to.</summary>
    public EvictionPolicy? Policy { get; private set; }

    /// <summary>How many it holds.</summary>
    public int Count { get; private set; }

    /// <summary>The score of the best; 0: there is none.</summary>
    public ulong BestScore => Count == 0 ? 0 : _items[Count - 1].Score;

    /// <summary>Empties it where its scores belong to another policy.</summary>
    public void Use(EvictionPolicy policy)
    {
        if (Policy == policy)
            return;
        Policy = policy;
        Count = 0;
        _countMax = policy.Order is EvictionOrder.LeastRecentlyUsed or EvictionOrder.LeastRecentlyModified
            ? LongestUnusedCountMax : CountMax;
    }

    /// <summary>Whether a candidate with this score would be kept.</summary>
    public bool Wants(ulong score) => Count < _countMax || score > _items[0].Score;

    /// <summary>Keeps a candidate, in the place of what was known of the same key, or of the worst. Among
    /// equals it goes last.</summary>
    public void Offer(in EvictionCandidate candidate)
    {
        Debug.Assert(candidate.Score != 0 && Wants(candidate.Score), "the candidate is not wanted");
        int place = IndexOf(candidate.Hash, candidate.Table);
        if (place >= 0)
            RemoveAt(place);
        else if (Count == _countMax)
            RemoveAt(0);
        for (place = Count++; place > 0 && _items[place - 1].Score >= candidate.Score; place--)
            _items[place] = _items[place - 1];
        _items[place] = candidate;
        AssertSorted();
    }

    /// <summary>Takes the best out.</summary>
    /// <returns>False where there is none.</returns>
    public bool TryTake(out EvictionCandidate candidate)
    {
        candidate = Count == 0 ? default : _items[--Count];
        return candidate.Score != 0;
    }

    private void RemoveAt(int place)
    {
        Count--;
        _items.AsSpan(place + 1, Count - place).CopyTo(_items.AsSpan(place));
    }

    private int IndexOf(ulong hash, int table)
    {
        for (int index = 0; index < Count; index++)
        {
            if (_items[index].Hash == hash && _items[index].Table == table)
                return index;
        }

        return -1;
    }

    [Conditional("DEBUG")]
    private void AssertSorted()
    {
        for (int index = 1; index < Count; index++)
            Debug.Assert(_items[index - 1].Score <= _items[index].Score, "the candidates are in order");
    }
}
