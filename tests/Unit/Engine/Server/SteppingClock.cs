using Cinnabar.Platform;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>A clock that stands still, but for a step at each look at its monotonic side.</summary>
internal sealed class SteppingClock : Clock
{
    private readonly ManualClock _inner = new();

    /// <summary>How far the clock goes with each look, in microseconds.</summary>
    public long StepUs { get; set; }

    /// <inheritdoc/>
    public override long UnixMicroseconds => _inner.UnixMicroseconds;

    /// <inheritdoc/>
    public override long MonotonicNanoseconds
    {
        get
        {
            _inner.Advance(StepUs);
            return _inner.MonotonicNanoseconds;
        }
    }

    /// <summary>Lets time pass.</summary>
    public void Advance(long microseconds) => _inner.Advance(microseconds);
}
