namespace Cinnabar.Keyspace;

/// <summary>A set of stripes, as bits in ascending order; at most <see cref="CountMax"/>.</summary>
public struct StripeSet
{
    /// <summary>The most stripes a key space may have.</summary>
    public const int CountMax = 256;

    private const int WordCount = CountMax / 64;
    private Words _words;

    /// <summary>The number of stripes in the set.</summary>
    public readonly int Count
    {
        get
        {
            int count = 0;
            for (int index = 0; index < WordCount; index++)
                count += BitOperations.PopCount(_words[index]);
            return count;
        }
    }

    /// <summary>The set of the stripes 0 to <paramref name="stripeCount"/> − 1.</summary>
    public static StripeSet All(int stripeCount)
    {
        StripeSet set = default;
        for (int index = 0; index < stripeCount; index++)
            set.Add(index);
        return set;
    }

    /// <summary>Adds a stripe.</summary>
    public void Add(int stripe) => _words[stripe >> 6] |= 1UL << (stripe & 63);

    /// <summary>Adds the stripes of another set.</summary>
    public void Add(in StripeSet other)
    {
        for (int index = 0; index < WordCount; index++)
            _words[index] |= other._words[index];
    }

    /// <summary>Whether the two sets have a stripe in common.</summary>
    public readonly bool Intersects(in StripeSet other)
    {
        for (int index = 0; index < WordCount; index++)
        {
            if ((_words[index] & other._words[index]) != 0)
                return true;
        }

        return false;
    }

    /// <summary>Whether all stripes of another set are in this one.</summary>
    public readonly bool Contains(in StripeSet other)
    {
        for (int index = 0; index < WordCount; index++)
        {
            if ((other._words[index] & ~_words[index]) != 0)
                return false;
        }

        return true;
    }

    /// <summary>Whether the stripe is in the set.</summary>
    public readonly bool Contains(int stripe) => (_words[stripe >> 6] >> (stripe & 63) & 1) != 0;

    /// <summary>The first stripe of the set at or after <paramref name="stripe"/>; −1 when there is
    /// none.</summary>
    public readonly int Next(int stripe)
    {
        for (int index = stripe >> 6; index < WordCount; index++)
        {
            ulong word = _words[index];
            if (index == stripe >> 6)
                word &= ulong.MaxValue << (stripe & 63);
            if (word != 0)
                return (index << 6) + BitOperations.TrailingZeroCount(word);
        }

        return -1;
    }

    [InlineArray(WordCount)]
    private struct Words
    {
        private ulong _first;
    }
}
