namespace Cinnabar.Platform;

/// <summary>The only source of time: the system's in a server, a manual one in tests and
/// simulations.</summary>
public abstract class Clock
{
    /// <summary>Microseconds since 1970-01-01 UTC; may jump either way when the system's time is
    /// set.</summary>
    public abstract long UnixMicroseconds { get; }

    /// <summary>Nanoseconds since an unspecified moment; never goes back.</summary>
    public abstract long MonotonicNanoseconds { get; }

    /// <summary>Has the thread wait; a manual clock goes on by that time instead.</summary>
    /// <param name="microseconds">At least 0.</param>
    public virtual void Sleep(long microseconds) => Thread.Sleep(TimeSpan.FromMicroseconds(microseconds));
}
