namespace Cinnabar.Platform;

/// <summary>Time that moves only by <see cref="Advance"/> and <see cref="JumpTo"/>. Reads are safe from any
/// thread.</summary>
/// <param name="unixMicroseconds">Where the wall clock starts; by default some moment in 2025.</param>
public sealed class ManualClock(long unixMicroseconds = 1_750_000_000_000_000) : Clock
{
    private long _unixMicroseconds = unixMicroseconds;
    private long _monotonicNanoseconds;

    public override long UnixMicroseconds => Volatile.Read(ref _unixMicroseconds);

    public override long MonotonicNanoseconds => Volatile.Read(ref _monotonicNanoseconds);

    /// <summary>Lets time pass on both clocks.</summary>
    /// <param name="microseconds">At least 0.</param>
    public void Advance(long microseconds)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(microseconds);
        Interlocked.Add(ref _unixMicroseconds, microseconds);
        Interlocked.Add(ref _monotonicNanoseconds, microseconds * 1000);
    }

    /// <inheritdoc/>
    public override void Sleep(long microseconds) => Advance(microseconds);

    /// <summary>Sets the wall clock as an administrator would: the monotonic clock does not notice.</summary>
    public void JumpTo(long unixMicroseconds) => Volatile.Write(ref _unixMicroseconds, unixMicroseconds);
}
