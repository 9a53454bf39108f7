using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Chance, from a seed.</summary>
internal sealed class Dice
{
    private RandomSource _random;

    /// <summary>Makes it.</summary>
    public Dice(ulong seed) => _random = new RandomSource(seed);

    /// <summary>A seed for something else.</summary>
    public ulong Next() => _random.Next();

    /// <summary>A number below another.</summary>
    public int Below(int end) => (int)_random.NextBelow((ulong)end);

    /// <summary>True once in so many times.</summary>
    public bool OneIn(int count) => Below(count) == 0;

    /// <summary>One of these.</summary>
    public T Pick<T>(params IReadOnlyList<T> items) => items[Below(items.Count)];

    /// <summary>From one to so many of what is made.</summary>
    public T[] Some<T>(int countMax, System.Func<T> make) =>
        [.. Enumerable.Range(0, 1 + Below(countMax)).Select(_ => make())];
}
