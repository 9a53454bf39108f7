namespace Cinnabar.Engine.Scripting;

/// <summary>The scripts that run now, for SCRIPT KILL. Any thread.</summary>
internal sealed class RunningScripts
{
    private readonly List<ScriptRun> _runs = [];
    private readonly Lock _lock = new();
    private bool _isAbandoned;

    /// <summary>Adds one that begins.</summary>
    public void Add(ScriptRun run)
    {
        lock (_lock)
        {
            _runs.Add(run);
            if (_isAbandoned)
                run.Abandon();
        }
    }

    /// <summary>Removes one that has ended.</summary>
    public void Remove(ScriptRun run)
    {
        lock (_lock)
        {
            bool wasThere = _runs.Remove(run);
            Debug.Assert(wasThere, "a run ends once");
        }
    }

    /// <summary>Ends the script that has run for longest of those that have written nothing.</summary>
    /// <param name="isAny">Whether any script runs.</param>
    /// <returns>Whether there was one.</returns>
    public bool TryKill(out bool isAny)
    {
        lock (_lock)
        {
            isAny = _runs.Count > 0;
            foreach (ScriptRun run in _runs)
            {
                if (run.TryKill())
                    return true;
            }

            return false;
        }
    }

    /// <summary>Ends all scripts: the server ends.</summary>
    public void Abandon()
    {
        lock (_lock)
        {
            _isAbandoned = true;
            foreach (ScriptRun run in _runs)
                run.Abandon();
        }
    }
}
