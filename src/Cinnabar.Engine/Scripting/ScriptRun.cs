// One run of a script, under the stripes that its execution holds.
//
//   Begin ─► the script calls commands (ScriptCommand) ─► its end or error ─► Commit ─► the reply
//              │ touches a stripe that is not held, takes too long for a loop, does what cannot be undone,
//              │ shows much to others
//              └─► RollBack: as if it had never run; the handler returns where to run it again
//
// A run keeps an undo record while anything could make it leave: on a loop, and off the loops without all
// stripes. In a transaction, and off the loops with all stripes, it runs to its end. What a run has learned
// about the script (Script.Learn…) lets the next one begin at the right place.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Scripting.Debugging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>A run of a script; one object for all runs of a machine.</summary>
internal sealed class ScriptRun : IDisposable
{
    private const long UsedNsStep = 100_000;
    private const long NsPerMs = 1_000_000;

    // A debugged script may change much; the copies are of what it changes.
    private const int TrialCopyBytesMax = 1 << 30;

    // What is kept until the commit counts against no limit of memory.
    private const long SightBytesMax = 4 << 20;

    private const int Idle = 0;
    private const int Clean = 1;
    private const int Written = 2;
    private const int Killed = 3;
    private const int Abandoned = 4;

    private readonly ScriptSurroundings _surroundings;
    private readonly RunningScripts _running;
    private readonly ILoopServer _server;
    private readonly UndoRecord _ownUndo = new();
    private UndoRecord _undo;
    private int _phase;
    private int _database;
    private int _callCount;
    private bool _isSlow;
    private RunningFunction? _shown;
    private ExecutionPlace _place;

    /// <summary>Runs for a machine.</summary>
    public ScriptRun(ScriptSurroundings surroundings, RunningScripts running)
    {
        _surroundings = surroundings;
        _running = running;
        _server = surroundings.Server;
        _undo = _ownUndo;
        Command = new ScriptCommand(surroundings, this, Sights);
    }

    /// <summary>Its execution.</summary>
    public SessionExecution Execution { get; private set; } = null!;

    /// <summary>Its script.</summary>
    public Runnable Script { get; private set; } = null!;

    /// <summary>What others see of it when it commits.</summary>
    public ScriptSights Sights { get; } = new();

    /// <summary>Calls commands.</summary>
    public ScriptCommand Command { get; }

    /// <summary>Where it must run again.</summary>
    public ScriptLeave Leave { get; private set; }

    /// <summary>Whether it may write nothing.</summary>
    public bool IsReadOnly { get; private set; }

    /// <summary>Whether it holds all stripes.</summary>
    public bool HoldsAll { get; private set; }

    /// <summary>Whether memory was over its limit when it began, and it has not said that this does not
    /// matter.</summary>
    public bool IsShortOfMemory { get; private set; }

    /// <summary>Whether it has chosen RESP3 for the replies that it gets.</summary>
    public bool IsResp3 { get; set; }

    /// <summary>Who gets what it writes (redis.set_repl).</summary>
    public JournalAudience Audience { get; set; }

    /// <summary>What debugs it; null: nothing does.</summary>
    public ScriptDebugger? Debugger { get; private set; }

    /// <summary>Whether all its changes are taken back at its end (SCRIPT DEBUG YES).</summary>
    public bool IsTrial => Debugger is { IsSync: false };

    /// <summary>Whether it can be rolled back.</summary>
    public bool CanLeave => _undo.IsActive;

    /// <summary>When it began, in monotonic nanoseconds; racy.</summary>
    public long StartNs { get; private set; }

    /// <summary>Whether it has begun and not ended; racy.</summary>
    public bool IsUnderWay => Volatile.Read(ref _phase) != Idle;

    /// <summary>Whether it has called a command that writes.</summary>
    public bool HasWritten => _phase == Written;

    /// <summary>Whether SCRIPT KILL or the end of the server has ended it.</summary>
    public bool IsKilled => Volatile.Read(ref _phase) >= Killed;

    /// <summary>What FUNCTION STATS shows of it; null: it is no function, or on its loop, which it leaves
    /// soon.</summary>
    public RunningFunction? Shown => Volatile.Read(ref _shown);

    /// <summary>Begins.</summary>
    public void Begin(
        SessionExecution execution, Runnable script, bool isReadOnly, ScriptDebugger? debugger)
    {
        (Execution, Script, IsReadOnly) = (execution, script, isReadOnly);
        Debugger = debugger;
        Debug.Assert(_phase == Idle, "it has begun before");
        (Leave, _callCount, IsResp3, Audience) = (ScriptLeave.None, 0, false, JournalAudience.All);
        _isSlow = false;
        // On a loop the time has just been read.
        StartNs = execution.Place == ExecutionPlace.OnLoop
            ? ((Loop)execution.Loop).Runner.Timer.SinceNs : _server.Clock.MonotonicNanoseconds;
        // Written seldom: loops that run the same script would take it from each other.
        if (StartNs - script.UsedNs > UsedNsStep)
            script.UsedNs = StartNs;
        // ORDER: a full fence. Either the end of the server finds this run under way, or the run sees that.
        Interlocked.Exchange(ref _phase, Clean);
        if (_running.IsAbandoned)
            Abandon();
        _place = execution.Place;
        bool isShown = script is LibraryFunction && _place != ExecutionPlace.OnLoop;
        Volatile.Write(ref _shown, isShown ? RunningFunction.Of(execution, script, StartNs) : null);
        execution.RunsFunction = script is LibraryFunction;
        _database = execution.Session.Database;
        HoldsAll = execution.Stripes.Count == _server.Keyspace.Stripes.Length;
        IsShortOfMemory = (script.Flags & ScriptFlags.AllowOom) == 0
            && _server.MemoryLimit.IsExceeded;
        bool canLeave = _place == ExecutionPlace.OnLoop || (_place == ExecutionPlace.OffLoop && !HoldsAll);
        Debug.Assert(debugger is null || !canLeave, "a debugged script runs in the lane with all stripes");
        if (IsTrial)
            _undo = new UndoRecord(TrialCopyBytesMax);
        if (canLeave || IsTrial)
            _undo.Begin(execution.Keys);
        if (execution.Effects.IsRecording)
            execution.Effects.Replace();
        if (_server.Gates.Has(ServerGates.Monitored))
            ShowCommand();
    }

    /// <summary>The hook of the machine.</summary>
    public void Interrupted()
    {
        if (IsKilled)
            throw new LuaInterruptException("killed");
        Debugger?.CheckTime();
        long elapsedNs = _server.Clock.MonotonicNanoseconds - StartNs;
        if (_undo.IsActive && _place == ExecutionPlace.OnLoop && elapsedNs > Execution.LoopCostNsMax)
        {
            Script.LearnLong();
            throw Go(ScriptLeave.OffLoop);
        }

        NoteSlow(elapsedNs / NsPerMs);
    }

    private void NoteSlow(long elapsedMs)
    {
        long thresholdMs = _server.Settings.BusyReplyThresholdMs;
        if (_isSlow || thresholdMs <= 0 || elapsedMs < thresholdMs)
            return;
        _isSlow = true;
        string kind = Script is LibraryFunction ? "FUNCTION" : "SCRIPT";
        _server.Log.Write(LogLevel.Warning,
            $"Slow script detected: still in execution after {elapsedMs} milliseconds. You can try killing "
            + $"the script using the {kind} KILL command. Script name is: {Script.Name}.");
    }

    /// <summary>Makes it run again with all stripes.</summary>
    public LuaInterruptException NeedAllStripes()
    {
        Script.LearnAllStripes();
        return Go(ScriptLeave.AllStripes);
    }

    /// <summary>Makes it run again where it can do what cannot be undone.</summary>
    public LuaInterruptException NeedNoUndo()
    {
        Script.LearnNoUndo();
        return Go(HoldsAll ? ScriptLeave.OffLoop : ScriptLeave.AllStripes);
    }

    /// <summary>A test wants every so manyth call to make the script run again.</summary>
    public void CountCall()
    {
        if (!_undo.IsActive || IsTrial || _surroundings.RerunInterval == 0
            || ++_callCount % _surroundings.RerunInterval != 0)
            return;
        throw NeedNext();
    }

    /// <summary>Keeps what a key has, before a command that may change it.</summary>
    public void Keep(in Key key)
    {
        if (!_undo.IsActive || _undo.TryKeep(in key))
            return;
        throw IsTrial ? new DebugEndException("too much was changed to be taken back") : NeedNoUndo();
    }

    /// <summary>Notes that a command that writes is about to run.</summary>
    public void BeginWriting()
    {
        if (_phase != Written && Interlocked.CompareExchange(ref _phase, Written, Clean) != Clean)
            throw new LuaInterruptException("killed");
    }

    /// <summary>Ends it if it has written nothing, or nothing that stays; any thread.</summary>
    public bool TryKill()
    {
        ScriptDebugger? debugger = Debugger;
        bool isKilled = Interlocked.CompareExchange(ref _phase, Killed, Clean) is Clean or Killed
            || (debugger is { IsSync: false }
                && Interlocked.CompareExchange(ref _phase, Killed, Written) is Written or Killed);
        if (isKilled)
            debugger?.Wake();
        return isKilled;
    }

    /// <summary>Ends it whatever it has done: the server ends; any thread.</summary>
    public void Abandon()
    {
        int phase;
        do
        {
            phase = Volatile.Read(ref _phase);
            if (phase == Idle)
                return;
        }
        while (Interlocked.CompareExchange(ref _phase, Abandoned, phase) != phase);
        Debugger?.Wake();
    }

    /// <summary>Counts it: it has committed, or was taken back.</summary>
    /// <param name="peakBytes">The most bytes that it has had.</param>
    public void Count(long peakBytes)
    {
        Debug.Assert(peakBytes >= 0, "it has had less than nothing");
        long elapsedNs = _server.Clock.MonotonicNanoseconds - StartNs;
        var run = new ScriptTotals { PeakBytes = peakBytes };
        if (Leave != ScriptLeave.None)
            run.RerunCount = Leave == ScriptLeave.AllStripes ? 1 : 0;
        else
            (run.CallCount, run.ElapsedNs, run.LongestNs) = (1, elapsedNs, elapsedNs);
        if (Leave == ScriptLeave.None && _place == ExecutionPlace.OffLoop)
            Script.NoteRun(elapsedNs <= Execution.LoopCostNsMax / 2);
        ScriptCounters counters = Script.CountersFor(_server.Loops.Length);
        if (Execution.State == ExecutionState.InSlowLane)
            counters.AddOfLane(in run);
        else
            counters.Add(Execution.Loop.Index, in run);
    }

    /// <summary>Notes that it has ended: its script runs no more.</summary>
    public void End()
    {
        Debug.Assert(_phase != Idle, "it has not begun");
        if (_shown is not null)
            Volatile.Write(ref _shown, null);
        Volatile.Write(ref _phase, Idle);
        Debugger = null;
    }

    /// <summary>Does something that others see: now, or when the run commits. With much of it the script runs
    /// again where it can be done at once.</summary>
    /// <param name="action">What.</param>
    /// <param name="bytes">Bytes of what it shows.</param>
    public void Show(Action action, long bytes)
    {
        ShowOrKeep(action, bytes);
        if (Sights.Bytes > SightBytesMax)
            throw NeedNext();
    }

    /// <summary>Takes everything back.</summary>
    /// <returns>What the handler returns.</returns>
    public Outcome RollBack()
    {
        Debug.Assert(Leave != ScriptLeave.None && _undo.IsActive, "it cannot leave");
        _undo.RollBack();
        Sights.Forget();
        Restore();
        return Leave == ScriptLeave.OffLoop ? Outcome.OffLoop : Outcome.AllStripes;
    }

    /// <summary>Lets everything stand; others see it now. What was only tried is taken back.</summary>
    public void Commit()
    {
        if (IsTrial)
        {
            _undo.RollBack();
            _undo.Dispose();
            _undo = _ownUndo;
            Sights.Forget();
            Restore();
            return;
        }

        _undo.Forget();
        Sights.Show(Execution, _surroundings.Errors);
        Restore();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Command.Dispose();
        _ownUndo.Dispose();
    }

    // Monitors see the command before those that it calls.
    private void ShowCommand()
    {
        byte[] line = _server.Monitors.LineOf(Execution, isInScript: false);
        // Not by Show: the script does not run yet, and cannot leave.
        ShowOrKeep(() => _server.Monitors.Send(line), line.Length);
    }

    private void ShowOrKeep(Action action, long bytes)
    {
        if (!_undo.IsActive)
            action();
        // What was only tried is forgotten at its end.
        else if (!IsTrial)
            Sights.Add(action, bytes);
    }

    // A step towards where nothing makes it run again: off the loops with all stripes. A run off the loops
    // begins anew with the stripes that the script is known to need.
    private LuaInterruptException NeedNext()
    {
        if (HoldsAll)
            return Go(ScriptLeave.OffLoop);
        return _place == ExecutionPlace.OnLoop ? Go(ScriptLeave.AllStripes) : NeedAllStripes();
    }

    private LuaInterruptException Go(ScriptLeave leave)
    {
        Debug.Assert(_undo.IsActive, "what cannot be rolled back stays");
        Leave = leave;
        return new LuaInterruptException("it runs again elsewhere");
    }

    private void Restore()
    {
        Execution.Session.Database = _database;
        Execution.Keys.Database = _database;
    }
}
