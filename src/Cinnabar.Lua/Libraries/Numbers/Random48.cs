namespace Cinnabar.Lua.Libraries.Numbers;

/// <summary>The random numbers of POSIX's <c>srand48</c> and <c>lrand48</c>: a linear congruential sequence
/// of 48 bits of which the highest 31 are given.</summary>
internal sealed class Random48
{
    private const ulong Factor = 0x5DEECE66D;
    private const ulong Addend = 0xB;
    private const ulong Mask = (1UL << 48) - 1;
    private const ulong SeedLow = 0x330E;

    private ulong _state = SeedLow;

    /// <summary>Begins the sequence of a seed.</summary>
    internal void Seed(int seed) => _state = (ulong)(uint)seed << 16 | SeedLow;

    /// <summary>The next number, below 2^31.</summary>
    internal int Next()
    {
        _state = unchecked(_state * Factor + Addend) & Mask;
        return (int)(_state >> 17);
    }
}
