// xoshiro256**: 256 bits of state, 64 bits a call in about a nanosecond, passes the usual batteries of tests.
// Not for secrets. A struct, so that every owner carries its own state and a seed replays its decisions:
// never copy one that is in use. Seeded through splitmix64, which spreads even a seed of 0 over the whole
// state. Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", 2018. Bounded
// numbers: D. Lemire, "Fast random integer generation in an interval", 2019.

namespace Cinnabar.Platform;

/// <summary>A seeded generator of pseudo-random numbers; not thread-safe, not for secrets.</summary>
/// <param name="seed">Any number; equal seeds give equal sequences.</param>
public struct RandomSource(ulong seed)
{
    private ulong _s0 = Spread(ref seed);
    private ulong _s1 = Spread(ref seed);
    private ulong _s2 = Spread(ref seed);
    private ulong _s3 = Spread(ref seed);

    /// <summary>An unpredictable seed from the system.</summary>
    public static ulong SystemSeed()
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        SystemRandom.Fill(bytes);
        return BitConverter.ToUInt64(bytes);
    }

    /// <summary>64 random bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Next()
    {
        Debug.Assert((_s0 | _s1 | _s2 | _s3) != 0, "it was not seeded");
        ulong result = BitOperations.RotateLeft(_s1 * 5, 7) * 9;
        ulong shifted = _s1 << 17;
        _s2 ^= _s0;
        _s3 ^= _s1;
        _s1 ^= _s2;
        _s0 ^= _s3;
        _s2 ^= shifted;
        _s3 = BitOperations.RotateLeft(_s3, 45);
        return result;
    }

    /// <summary>A number from 0 to <paramref name="bound"/> - 1, each equally likely.</summary>
    /// <param name="bound">At least 1.</param>
    public ulong NextBelow(ulong bound)
    {
        ArgumentOutOfRangeException.ThrowIfZero(bound);
        ulong high = Math.BigMul(Next(), bound, out ulong low);
        if (low < bound)
        {
            // 2^64 mod bound: the products whose low half is below it would favour some results.
            ulong biased = (0 - bound) % bound;
            while (low < biased)
                high = Math.BigMul(Next(), bound, out low);
        }
        return high;
    }

    /// <summary>A number from 0 to below 1, with 53 random bits.</summary>
    public double NextDouble() => (Next() >> 11) * (1.0 / (1UL << 53));

    private static ulong Spread(ref ulong state)
    {
        state += 0x9E3779B97F4A7C15;
        ulong mixed = state;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }
}
