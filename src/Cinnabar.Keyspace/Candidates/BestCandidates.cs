namespace Cinnabar.Keyspace.Candidates;

/// <summary>The score of each stripe's best candidate for eviction. Read without locks: a score may be a
/// moment old.</summary>
/// <param name="stripeCount">Number of stripes.</param>
internal sealed class BestCandidates(int stripeCount)
{
    private readonly ulong[] _scores = new ulong[stripeCount];

    /// <summary>Publishes the score of a stripe, which is locked; 0: it has no candidate.</summary>
    public void Note(int stripe, ulong score) => Volatile.Write(ref _scores[stripe], score);

    /// <summary>The index of the stripe with the best candidate; that of the given one where none is
    /// better.</summary>
    public int IndexOfBest(int stripe, ulong score)
    {
        for (int index = 0; index < _scores.Length; index++)
        {
            ulong other = Volatile.Read(ref _scores[index]);
            (stripe, score) = other > score ? (index, other) : (stripe, score);
        }

        return stripe;
    }
}
