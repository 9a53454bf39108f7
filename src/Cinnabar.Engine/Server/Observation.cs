using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Server;

/// <summary>What looks at executed commands: the slow log, the command log, the latency monitor.</summary>
internal sealed class Observation
{
    private readonly ServerEngine _engine;

    /// <summary>Makes it.</summary>
    public Observation(ServerEngine engine) => _engine = engine;

    /// <summary>Whether every command must be timed by itself: a threshold is below what a turn may take.</summary>
    public bool NeedsEveryTime => (ulong)_engine.Settings.SlowLogThresholdUs < 1000;

    /// <summary>A command that was timed by itself has been executed.</summary>
    public void Executed(SessionExecution execution, long elapsedNs)
    {
    }
}
