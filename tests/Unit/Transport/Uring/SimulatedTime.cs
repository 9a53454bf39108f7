using Cinnabar.Platform;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The time of a simulated kernel and of the server above it: it goes on by calls and by looks at
/// it.</summary>
internal sealed class SimulatedTime
{
    private const int CallUsMax = 1000;
    private const long LookUs = 20;
    private const long UsOfMs = 1000;

    /// <summary>The server's clock.</summary>
    public ManualClock Clock { get; } = new();

    public long NowMs => Clock.UnixMicroseconds / UsOfMs;

    /// <summary>Looks at the time, which takes some.</summary>
    public long LookTicks()
    {
        Clock.Advance(LookUs);
        return Clock.MonotonicNanoseconds;
    }

    /// <summary>Lets a call take some time.</summary>
    public void Call(SimulatedChance chance) => Clock.Advance(chance.Below(CallUsMax));

    /// <summary>Lets a wait go on to its end.</summary>
    public void Wait(int ms) => Clock.Advance(ms * UsOfMs);
}
