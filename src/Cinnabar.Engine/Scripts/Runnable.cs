namespace Cinnabar.Engine.Scripts;

/// <summary>
/// What a run runs: a script or a function of a library. What has been learned from its runs says how the
/// next one begins; any thread may learn, and what is learned is never wrong, only slower than needed.
/// </summary>
internal abstract class Runnable
{
    // So many short runs in a row bring a script that took too long back to the loops: at first few, since
    // the system may have taken the processor away; twice as many each time, since a rerun costs as much as
    // the loop had waited for.
    private const int ShortRunsMin = 2;
    private const int ShortRunsMax = 1024;

    private volatile bool _needsAllStripes;
    private volatile bool _needsNoUndo;
    private volatile bool _isLong;
    private int _shortRunsWanted = ShortRunsMin;
    private int _shortRunsLeft;
    private ScriptCounters? _counters;

    /// <summary>Its name in errors.</summary>
    public abstract string Name { get; }

    /// <summary>What it says about itself.</summary>
    public abstract ScriptFlags Flags { get; }

    /// <summary>Whether it is judged by its flags before it runs; else at its first write.</summary>
    public abstract bool HasFlags { get; }

    /// <summary>When it was last used, in monotonic nanoseconds; racy.</summary>
    public long UsedNs { get; set; }

    /// <summary>Whether it has touched a key that it does not declare, in another stripe than those that it
    /// does.</summary>
    public bool NeedsAllStripes => _needsAllStripes;

    /// <summary>Whether it has done what cannot be taken back: it runs off the loops with all stripes, where
    /// nothing makes it run again.</summary>
    public bool NeedsNoUndo => _needsNoUndo;

    /// <summary>Whether it took too long for a loop.</summary>
    public bool IsLong => _isLong || _needsNoUndo;

    /// <summary>What its runs have cost; null: it has not run since that was reset.</summary>
    public ScriptCounters? Counters => Volatile.Read(ref _counters);

    /// <summary>The counters for a run that has ended.</summary>
    /// <param name="loopCount">The number of the server's loops.</param>
    public ScriptCounters CountersFor(int loopCount)
    {
        if (Counters is { } counters)
            return counters;
        var added = new ScriptCounters(loopCount);
        return Interlocked.CompareExchange(ref _counters, added, null) ?? added;
    }

    /// <summary>CONFIG RESETSTAT.</summary>
    public void ResetCounters() => Volatile.Write(ref _counters, null);

    /// <summary>Remembers that it needs all stripes.</summary>
    public void LearnAllStripes() => _needsAllStripes = true;

    /// <summary>Remembers that it is too long for a loop.</summary>
    public void LearnLong()
    {
        _shortRunsLeft = _shortRunsWanted;
        _shortRunsWanted = Math.Min(2 * _shortRunsWanted, ShortRunsMax);
        _isLong = true;
    }

    /// <summary>Notes how a run in the slow lane went.</summary>
    /// <param name="isShort">Whether it would have done on a loop.</param>
    public void NoteRun(bool isShort)
    {
        if (!isShort)
            _shortRunsLeft = _shortRunsWanted;
        else if (--_shortRunsLeft <= 0)
            _isLong = false;
    }

    /// <summary>Remembers that it does what cannot be taken back.</summary>
    public void LearnNoUndo()
    {
        // ORDER: a thread that sees the second sees the first.
        _needsAllStripes = true;
        _needsNoUndo = true;
    }
}
