namespace Cinnabar.Engine.Executions;

/// <summary>Whether the script of an execution that went to the slow lane has begun, or was killed while it
/// waited for a thread. Any thread.</summary>
internal struct ScriptTurn
{
    private const int Waits = 0;
    private const int Runs = 1;
    private const int IsKilled = 2;

    private int _phase;
    private bool _isFunction;

    /// <summary>The execution comes to the slow lane.</summary>
    /// <param name="runsScript">Whether it runs a script or a function, which can be killed while it waits
    /// for a thread.</param>
    /// <param name="isFunction">Whether it is a function.</param>
    public void Await(bool runsScript, bool isFunction)
    {
        _isFunction = isFunction;
        Volatile.Write(ref _phase, runsScript ? Waits : Runs);
    }

    /// <summary>Begins.</summary>
    /// <returns>False: the script was killed before.</returns>
    public bool TryBegin() => Interlocked.CompareExchange(ref _phase, Runs, Waits) != IsKilled;

    /// <summary>Kills the script before it begins.</summary>
    /// <param name="isFunction">Whether it is to be a function.</param>
    /// <returns>False: it has begun, or is of the other kind.</returns>
    public bool TryKill(bool isFunction) => _isFunction == isFunction
        && Interlocked.CompareExchange(ref _phase, IsKilled, Waits) != Runs;
}
