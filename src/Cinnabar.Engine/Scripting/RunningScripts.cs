using Cinnabar.Engine.Scripts;

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

    /// <summary>Ends the script, or the function, that has run for longest of those that have written
    /// nothing.</summary>
    /// <param name="isFunction">Whether a function.</param>
    public KillResult Kill(bool isFunction)
    {
        List<ScriptRun> runs;
        lock (_lock)
            runs = _runs.FindAll(static run => run.IsUnderWay);
        runs.Sort(static (left, right) => left.StartNs.CompareTo(right.StartNs));
        List<ScriptRun> suitable = runs.FindAll(run => run.Script is LibraryFunction == isFunction);
        if (suitable.Exists(static run => run.TryKill()))
            return KillResult.Killed;
        if (suitable.Count > 0 || runs.Exists(static run => run.HasWritten))
            return KillResult.Unkillable;
        return runs.Count > 0 ? KillResult.OtherKind : KillResult.NotBusy;
    }

    /// <summary>The function that has run for longest; null: none runs, but for moments on its
    /// loop.</summary>
    public RunningFunction? LongestFunction()
    {
        RunningFunction? longest = null;
        lock (_lock)
        {
            foreach (ScriptRun run in _runs)
            {
                if (run.Shown is { } shown && (longest is null || shown.StartNs < longest.StartNs))
                    longest = shown;
            }
        }

        return longest;
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
