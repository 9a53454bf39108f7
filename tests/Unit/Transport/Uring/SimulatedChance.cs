using Cinnabar.Platform;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The decisions of a simulated kernel.</summary>
/// <param name="seed">They come from it.</param>
internal sealed class SimulatedChance(ulong seed)
{
    private RandomSource _random = new(seed);

    /// <summary>Whether nothing that is rare happens.</summary>
    public bool IsCalm { get; init; }

    /// <summary>Whether something happens that happens once in so many times.</summary>
    public bool IsOnceIn(ulong count) => !IsCalm && _random.NextBelow(count) == 0;

    /// <summary>A number below another one.</summary>
    public int Below(int count) => (int)_random.NextBelow((ulong)count);

    /// <summary>Any number.</summary>
    public ulong Next() => _random.Next();
}
