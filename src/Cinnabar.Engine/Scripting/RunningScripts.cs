namespace Cinnabar.Engine.Scripting;

/// <summary>The scripts that run now, for SCRIPT KILL: the runs of all machines, of which some are under way.
/// Any thread. A run that begins or ends takes no lock.</summary>
internal sealed class RunningScripts
{
    private readonly List<ScriptRun> _runs = [];
    private readonly Lock _lock = new();
    private volatile bool _isAbandoned;

    /// <summary>Whether all scripts end: the server ends.</summary>
    public bool IsAbandoned => _isAbandoned;

    /// <summary>Adds the run of a new machine.</summary>
    public void Add(ScriptRun run)
    {
        lock (_lock)
            _runs.Add(run);
    }

    /// <summary>Removes the run of a machine that is given up.</summary>
    public void Remove(ScriptRun run)
    {
        Debug.Assert(!run.IsUnderWay, "a machine is given up between two runs");
        lock (_lock)
        {
            bool wasThere = _runs.Remove(run);
            Debug.Assert(wasThere, "a machine is given up once");
        }
    }

    /// <summary>Ends the script that has run for longest of those that have written nothing.</summary>
    /// <param name="isAny">Whether any script runs.</param>
    /// <returns>Whether there was one.</returns>
    public bool TryKill(out bool isAny)
    {
        List<ScriptRun> runs;
        lock (_lock)
            runs = _runs.FindAll(static run => run.IsUnderWay);
        isAny = runs.Count > 0;
        runs.Sort(static (left, right) => left.StartNs.CompareTo(right.StartNs));
        return runs.Exists(static run => run.TryKill());
    }

    /// <summary>Ends all scripts: the server ends.</summary>
    public void Abandon()
    {
        // ORDER: before the runs are looked at, so that one that begins meanwhile sees it (ScriptRun.Begin).
        _isAbandoned = true;
        Interlocked.MemoryBarrier();
        lock (_lock)
        {
            foreach (ScriptRun run in _runs)
                run.Abandon();
        }
    }
}
