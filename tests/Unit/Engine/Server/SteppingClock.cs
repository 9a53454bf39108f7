using Cinnabar.Platform;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>A clock that advances only by a step at each read of its monotonic time.</summary>
internal sealed class SteppingClock : Clock
{
    private readonly ManualClock _inner = new();

    /// <summary>The step, in microseconds.</summary>
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
