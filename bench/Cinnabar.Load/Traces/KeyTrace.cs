using System;
using System.Collections.Generic;
using Cinnabar.Load.Requests;
using Cinnabar.Platform;

namespace Cinnabar.Load.Traces;

/// <summary>Sequences of keys as caches meet them; the same for each server.</summary>
public static class KeyTrace
{
    private const ulong Seed = 0x5EED;
    private const double Exponent = 0.9;
    private const double LoopShare = 1.2;
    private const int DomainFactor = 5;
    private const int ShiftCount = 4;

    /// <summary>The names of the traces.</summary>
    public static IReadOnlyList<string> Names { get; } = ["zipfian", "scanning", "looping", "shifting"];

    /// <summary>A trace: numbers of keys from 0 on.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="residentCount">How many keys the cache holds.</param>
    /// <param name="length">How many requests.</param>
    public static long[] Make(string name, int residentCount, int length)
    {
        var trace = new long[length];
        var random = new RandomSource(Seed);
        var zipf = new ZipfDistribution((long)DomainFactor * residentCount, Exponent);
        long domain = (long)DomainFactor * residentCount;
        long loop = (long)(LoopShare * residentCount);
        for (int index = 0; index < length; index++)
        {
            trace[index] = name switch
            {
                "zipfian" => Spread(zipf.Next(ref random), domain, 0),
                // Every other stretch of half the cache's size is of keys that never come again.
                "scanning" => (index / (residentCount / 2)) % 2 == 0
                    ? Spread(zipf.Next(ref random), domain, 0) : domain + index,
                // A loop that is a little larger than the cache, and between its steps a few hot keys.
                "looping" => index % 2 == 0 ? index / 2 % loop : loop + (long)random.NextBelow(
                    (ulong)Math.Max(1, residentCount / 10)),
                "shifting" => Spread(zipf.Next(ref random), domain, index / (length / ShiftCount + 1)),
                _ => throw new ArgumentException($"no trace is called {name}", nameof(name)),
            };
        }
        return trace;
    }

    // Popular keys are not neighbours, and each shift has others.
    private static long Spread(long rank, long domain, long shift) =>
        (rank + shift * (domain / ShiftCount + 7)) * 7919 % domain;
}
