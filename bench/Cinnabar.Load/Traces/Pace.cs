using System;
using System.Diagnostics;
using System.Threading;

namespace Cinnabar.Load.Traces;

/// <summary>Steps at a given rate.</summary>
/// <param name="stepsPerSecond">The rate.</param>
public sealed class Pace(double stepsPerSecond)
{
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <summary>Waits until a step is due.</summary>
    public void WaitFor(long step)
    {
        double left = (step / stepsPerSecond) - Stopwatch.GetElapsedTime(_start).TotalSeconds;
        if (left > 0.001) Thread.Sleep(TimeSpan.FromSeconds(left));
    }
}
