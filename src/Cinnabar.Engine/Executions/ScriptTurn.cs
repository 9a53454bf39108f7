namespace Cinnabar.Engine.Executions;

/// <summary>Whether the script of an execution that went to the slow lane has begun, or was killed while it
/// waited for a thread. Any thread.</summary>
internal struct ScriptTurn
{
    private const int Waits = 0;
    private const int Runs = 1;
    private const int IsKilled = 2;

    private int _phase;

    /// <summary>The execution comes to the slow lane.</summary>
    /// <param name="isKillable">Whether its script can be killed while it waits for a thread.</param>
    public void Await(bool isKillable) => Volatile.Write(ref _phase, isKillable ? Waits : Runs);

    /// <summary>Begins.</summary>
    /// <returns>False: the script was killed before.</returns>
    public bool TryBegin() => Interlocked.CompareExchange(ref _phase, Runs, Waits) != IsKilled;

    /// <summary>Kills the script before it begins.</summary>
    /// <returns>False: it has begun.</returns>
    public bool TryKill() => Interlocked.CompareExchange(ref _phase, IsKilled, Waits) != Runs;
}
