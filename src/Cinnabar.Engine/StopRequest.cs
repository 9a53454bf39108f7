namespace Cinnabar.Engine;

/// <summary>
/// A shutdown that a signal to the process asks for. It is due at once, but not while DEBUG PAUSE-CRON holds
/// the cron (which handles signals in Redis): then SHUTDOWN ABORT can cancel it. Thread-safe.
/// </summary>
public sealed class StopRequest
{
    private readonly Lock _lock = new();
    private Phase _phase;
    private bool _isHeld;

    /// <summary>Called when a request may have become due; on any thread.</summary>
    public Action? Changed { get; set; }

    /// <summary>Whether the end was requested and not cancelled.</summary>
    public bool IsMade
    {
        get
        {
            lock (_lock)
                return _phase != Phase.None;
        }
    }

    /// <summary>Whether SIGINT has requested the end, not SIGTERM.</summary>
    public bool IsInterrupt { get; private set; }

    /// <summary>Requests the end.</summary>
    public void Make(bool isInterrupt = false)
    {
        lock (_lock)
        {
            if (_phase == Phase.None)
                (_phase, IsInterrupt) = (Phase.Made, isInterrupt);
        }

        Changed?.Invoke();
    }

    /// <summary>Begins the end if it is due; from then on it cannot be cancelled.</summary>
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

    /// <summary>Gives up an end that has begun: the data could not be saved.</summary>
    public void GiveUp()
    {
        lock (_lock)
        {
            Debug.Assert(_phase == Phase.Begun, "no end has begun");
            _phase = Phase.None;
        }
    }

    /// <summary>Holds requests, or releases them.</summary>
    internal void Hold(bool isHeld)
    {
        lock (_lock)
            _isHeld = isHeld;
        Changed?.Invoke();
    }

    /// <summary>Cancels a request.</summary>
    /// <returns>False if there is none, or the end has begun.</returns>
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

    // None -> Made -> Begun; TryCallOff leads back from Made, GiveUp from Begun.
    private enum Phase
    {
        None,
        Made,
        Begun,
    }
}
