namespace Cinnabar.Transport.Epoll;

/// <summary>What a loop waits for.</summary>
internal interface IPolledSet
{
    /// <summary>Waits for events.</summary>
    /// <param name="timeoutMs">How long at most, in milliseconds; 0: only looks; −1: for ever.</param>
    /// <returns>Their number.</returns>
    int Wait(int timeoutMs);

    /// <summary>The time, by which waits are measured: ticks of <see cref="Stopwatch"/>.</summary>
    long NowTicks { get; }
}
