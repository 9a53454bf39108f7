using System;
using System.Threading;

namespace Cinnabar.Engine;

/// <summary>
/// An end that a signal to the process asks for. It is due at once; while DEBUG PAUSE-CRON holds the cron,
/// which sees to signals in Redis, it is not, and SHUTDOWN ABORT calls it off. Thread-safe.
/// </summary>
public sealed class StopRequest
{
    private readonly Lock _lock = new();
    private Phase _phase;
    private bool _isHeld;

    /// <summary>Told when a request may have become due; on any thread.</summary>
    public Action? Changed { get; set; }

    /// <summary>Whether the end was asked for, and not called off.</summary>
    public bool IsMade
    {
        get
        {
            lock (_lock)
                return _phase != Phase.None;
        }
    }

    /// <summary>Asks for the end.</summary>
    public void Make()
    {
        lock (_lock)
        {
            if (_phase == Phase.None)
                _phase = Phase.Made;
        }

        Changed?.Invoke();
    }

    /// <summary>Begins the end if it is due; from then on nothing calls it off.</summary>
    /// <returns>True once.</returns>
    public bool TryBegin()
    {
        lock (_lock)
        {
            bool isDue = _phase == Phase.Made && !_isHeld;
            if (isDue)
                _phase = Phase.Begun;
            return isDue;
        }
    }

    /// <summary>Holds requests, or lets those that were made become due.</summary>
    internal void Hold(bool isHeld)
    {
        lock (_lock)
            _isHeld = isHeld;
        Changed?.Invoke();
    }

    /// <summary>Calls a request off.</summary>
    /// <returns>False where there is none, or it has begun to be met.</returns>
    internal bool TryCallOff()
    {
        lock (_lock)
        {
            bool isCalledOff = _phase == Phase.Made;
            if (isCalledOff)
                _phase = Phase.None;
            return isCalledOff;
        }
    }

    // None -> Made -> Begun; TryCallOff leads back from Made.
    private enum Phase
    {
        None,
        Made,
        Begun,
    }
}
