using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Cinnabar.Load.Waits;

/// <summary>Runs a probe on a thread of its own, until it is stopped.</summary>
public sealed class ProbeThread : IDisposable
{
    private readonly IProbe _probe;
    private readonly Thread _thread;
    private volatile bool _isStopping;
    private Exception? _failure;

    private ProbeThread(IProbe probe, IReadOnlyList<int> cores)
    {
        _probe = probe;
        _thread = new Thread(() => Run(cores)) { IsBackground = true };
    }

    /// <summary>Starts a probe.</summary>
    /// <param name="probe">The probe, which the caller disposes of after this.</param>
    /// <param name="cores">The first of these is the thread's; empty: any.</param>
    public static ProbeThread Start(IProbe probe, IReadOnlyList<int> cores)
    {
        var thread = new ProbeThread(probe, cores);
        thread._thread.Start();
        return thread;
    }

    /// <summary>Ends the schedule, waits until all questions are answered, and throws what went
    /// wrong.</summary>
    /// <exception cref="LoadException">The probe failed, or the server answered an error.</exception>
    public void Stop()
    {
        Dispose();
        if (_failure is LoadException) throw new LoadException(_failure.Message);
        if (_failure is not null) throw new InvalidOperationException("a probe's thread failed", _failure);
        if (_probe.FirstError is { } error) throw new LoadException(error);
    }

    public void Dispose()
    {
        _isStopping = true;
        _thread.Join();
    }

    private void Run(IReadOnlyList<int> cores)
    {
        try
        {
            if (cores.Count > 0) ProcessorPin.ThisThread(cores[0]);
            _probe.Start();
            var rest = new ProbeRest(_probe);
            while (!_isStopping)
            {
                _probe.Step(isAsking: true);
                _ = rest.AfterRest(Stopwatch.GetTimestamp());
            }
            while (!_probe.IsAnswered) _probe.Step(isAsking: false);
        }
        catch (Exception failure)
        {
            _failure = failure;
        }
    }
}
