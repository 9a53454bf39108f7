// What is certain about CLIENT PAUSE: from the reading of its reply until the clock reaches its end or a
// client sends UNPAUSE, no command that it holds back and that was sent in this time is answered. If the
// pause may have ended unseen nothing is certain.

using System.Collections.Generic;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>The pause that is certainly in force.</summary>
internal sealed class PauseModel
{
    private int _unpauseCount;
    private int _jumpCount;

    /// <summary>The pause; null: there may be none.</summary>
    public Pause? Current { get; private set; }

    /// <summary>How often requests waited for a pause that was certain.</summary>
    public int HeldCount { get; set; }

    /// <summary>PAUSE is sent.</summary>
    /// <param name="nowMs">The time.</param>
    /// <param name="timeoutMs">For how long.</param>
    /// <param name="isForAll">Whether it is for commands that only read, too.</param>
    /// <returns>The argument of <see cref="Confirm"/> when the reply comes.</returns>
    public Pause Ask(long nowMs, long timeoutMs, bool isForAll) =>
        new(nowMs + timeoutMs, isForAll, _jumpCount);

    /// <summary>PAUSE was answered.</summary>
    public void Confirm(Pause pause, long nowMs)
    {
        bool isCertain = _unpauseCount == 0 && pause.JumpCount == _jumpCount && pause.EndMs > nowMs;
        if (isCertain && (Current is null || Current.EndMs < pause.EndMs))
            Current = pause;
    }

    /// <summary>UNPAUSE is sent.</summary>
    public void Unpause()
    {
        _unpauseCount++;
        Current = null;
    }

    /// <summary>UNPAUSE was answered. Without an answer nothing is certain.</summary>
    public void Unpaused() => _unpauseCount--;

    /// <summary>Time has passed.</summary>
    public void Pass(long nowMs)
    {
        if (Current is not null && nowMs >= Current.EndMs)
            Current = null;
    }

    /// <summary>The clock was set back: a pause asked for before may end sooner than was thought.</summary>
    public void JumpBack() => _jumpCount++;

    /// <summary>A pause.</summary>
    /// <param name="EndMs">When it ends at the earliest.</param>
    /// <param name="IsForAll">Whether it is for commands that only read, too.</param>
    /// <param name="JumpCount">How often the clock had been set back when it was asked for.</param>
    internal sealed record Pause(long EndMs, bool IsForAll, int JumpCount)
    {
        /// <summary>Whether it holds a request back.</summary>
        public bool Holds(Request request) => !request.IsRefused && (IsForAll || request.IsWrite);
    }
}
