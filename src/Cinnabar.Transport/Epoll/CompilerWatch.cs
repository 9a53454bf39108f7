// The run time's compiler works on a thread of its own, of a lower rank than the loops' threads where the
// process sees to that (Server/CompilerRank.cs): it makes way for one that wakes up. It makes none for one
// that polls instead of sleeping: what it has coming of that one's processor it gets in slices up to the
// system's next tick, 4 ms in which no client is served. So loops have to know when it compiles.

using System;
using System.Runtime;

namespace Cinnabar.Transport.Epoll;

/// <summary>Whether the run time compiles methods now, as far as what it compiled lately tells. For one
/// thread. Times are <see cref="System.Diagnostics.Stopwatch"/> ticks.</summary>
internal sealed class CompilerWatch
{
    /// <summary>For how long after a method another one is expected, in microseconds.</summary>
    internal const int WorkUs = 20_000;

    // The compiler's thread ends when it had nothing to do for four seconds.
    private const int QuietUs = 1_000_000;

    private static readonly long s_workTicks = BriefPolling.TicksOf(WorkUs);
    private static readonly long s_quietTicks = BriefPolling.TicksOf(QuietUs);

    private readonly Func<long> _compiledCount;
    private readonly Action _began;
    private long _count;
    private long _lastTicks = long.MinValue / 2;

    /// <summary>Watches this process's compiler.</summary>
    /// <param name="began">Called when something was compiled after a second or more without; from the
    /// thread that asks.</param>
    public CompilerWatch(Action began)
        : this(static () => JitInfo.GetCompiledMethodCount(currentThread: false), began)
    {
    }

    /// <param name="compiledCount">How many methods were compiled so far.</param>
    /// <param name="began">As the other form has it.</param>
    internal CompilerWatch(Func<long> compiledCount, Action began) =>
        (_compiledCount, _began) = (compiledCount, began);

    /// <summary>Whether a method was compiled within the last 20 ms, or since this was asked last.</summary>
    public bool IsCompiling(long nowTicks)
    {
        long count = _compiledCount();
        if (count == _count)
            return nowTicks - _lastTicks < s_workTicks;
        bool isBegun = nowTicks - _lastTicks >= s_quietTicks;
        (_count, _lastTicks) = (count, nowTicks);
        if (isBegun)
            _began();
        return true;
    }
}
