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
    private bool _isMade;
    private bool _isHeld;
    private bool _isBegun;

    /// <summary>Told when a request may have become due; on any thread.</summary>
    public Action? Changed { get; set; }

    /// <summary>Whether the end was asked for, and not called off.</summary>
    public bool IsMade
    {
        get
        {
            lock (_lock)
                return _isMade;
        }
    }

    /// <summary>Asks for the end.</summary>
    public void Make()
    {
        lock (_lock)
            _isMade = true;
        Changed?.Invoke();
    }

    /// <summary>Begins the end if it is due; from then on nothing calls it off.</summary>
    /// <returns>True once.</returns>
    public bool TryBegin()
    {
        lock (_lock)
        {
            bool isDue = _isMade && !_isHeld && !_isBegun;
            _isBegun |= isDue;
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
            bool isCalledOff = _isMade && !_isBegun;
            if (isCalledOff)
                _isMade = false;
            return isCalledOff;
        }
    }
}
