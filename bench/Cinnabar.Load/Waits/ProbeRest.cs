using System;
using System.Diagnostics;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Waits;

/// <summary>The rests of a thread that takes a probe's steps: a tenth of its time, in pieces of about 0.1 ms.
/// A host that rations a virtual machine's processor time otherwise takes all its processors for 9 to 19 ms
/// once a ration is used up, which two threads that never sleep on two processors do. No question is due
/// meanwhile. On Linux; elsewhere there are none.</summary>
internal sealed class ProbeRest
{
    private const long PeriodNs = 1_000_000;
    private const long RestNs = 80_000;
    /// <summary>The longest rest, in nanoseconds: a longer one is time in which the thread could not
    /// run.</summary>
    internal const long RestNsMax = 150_000;

    // After so long without an answer the thread rests nevertheless.
    private const long PatienceNs = 200_000;
    private readonly IProbe _probe;
    private long _next;

    /// <summary>For the thread that takes these steps.</summary>
    public ProbeRest(IProbe probe)
    {
        _probe = probe;
        ProcessorPin.WakeOnTime();
        _next = Stopwatch.GetTimestamp();
    }

    /// <summary>Rests if it is time.</summary>
    /// <param name="now">The clock, as <see cref="Stopwatch.GetTimestamp"/> gives it.</param>
    /// <returns>The clock, at most as much later as a rest may take; a longer time is a gap.</returns>
    public long AfterRest(long now)
    {
        if (now < _next || !OperatingSystem.IsLinux()) return now;
        if (!_probe.IsAnswered && now < _next + Ticks(PatienceNs)) return now;
        LibC.Sleep(RestNs);
        _probe.Skip();
        _next = now + Ticks(PeriodNs);
        return long.Min(Stopwatch.GetTimestamp(), now + Ticks(RestNsMax));
    }

    private static long Ticks(long nanoseconds) => nanoseconds * Stopwatch.Frequency / 1_000_000_000;
}
