// A loop runs its scripts on a machine of its own, which it takes by one exchange: no lock, and code and
// tables that its core has in its cache. Executions in the slow lane share machines, as many as have run
// there at the same time.
//
//   _ofLoops   | machine of loop 0, room to the next cache line | machine of loop 1 ... |
//   _ofLane    machines of the lane that are idle
//   _all       all of them; SCRIPT FLUSH gives up those that no run has taken, the others at their return

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Scripting;

/// <summary>The machines of a server. Any thread.</summary>
internal sealed class ScriptMachines(
    ScriptSurroundings surroundings, int loopCount, RunningScripts running) : IDisposable
{
    private const long CollectionIntervalMs = 1000;

    // References in two cache lines: a processor prefetches them together.
    private const int Stride = 128 / 8;

    private readonly ScriptSurroundings _surroundings = surroundings;
    private readonly ScriptMachine?[] _ofLoops = new ScriptMachine?[loopCount * Stride];
    private readonly Stack<ScriptMachine> _ofLane = [];
    private readonly List<ScriptMachine> _all = [];
    private readonly Lock _lock = new();
    private volatile int _generation;
    private volatile bool _hasGarbage;
    private long _collectedMs;

    /// <summary>The scripts that run now.</summary>
    public RunningScripts Running { get; } = running;

    /// <summary>Whether scripts and functions may call what is not allowed from scripts.</summary>
    public bool AllowsDeniedCommands
    {
        set => _surroundings.AllowsDeniedCommands = value;
    }

    /// <summary>Makes a machine; gets whether scripts find there what newer versions of Redis hide.</summary>
    public required Func<bool, ScriptMachine> MakeMachine { get; init; }

    /// <summary>About how many bytes the machines hold.</summary>
    public long MemoryBytes
    {
        get
        {
            lock (_lock)
            {
                long bytes = 0;
                foreach (ScriptMachine machine in _all)
                    bytes += machine.MemoryBytes;
                return bytes;
            }
        }
    }

    /// <summary>Takes a machine for a run; on the thread of the execution.</summary>
    public ScriptMachine Take(SessionExecution execution)
    {
        if (execution.IsOffLoop)
            return TakeForLane();
        ref ScriptMachine? place = ref _ofLoops[((Loop)execution.Loop).Index * Stride];
        if (place is { } machine && machine.TryTake())
        {
            if (IsCurrent(machine))
                return machine;
            Drop(machine);
        }

        return place = Make();
    }

    /// <summary>Returns a machine whose run is over.</summary>
    public void Return(SessionExecution execution, ScriptMachine machine)
    {
        if (machine.HasLeftGarbage)
            _hasGarbage = true;
        if (execution.IsOffLoop)
            ReturnOfLane(machine);
        else
            machine.Return();
        // A flush that came before the return has left the machine to this thread.
        if (machine.Generation != _generation && machine.TryTake())
            Drop(machine);
    }

    /// <summary>Forgets all machines: the scripts were flushed. Those that run end with their run.</summary>
    public void Clear()
    {
        lock (_lock)
        {
            _generation++;
            _ofLane.Clear();
            for (int index = _all.Count - 1; index >= 0; index--)
            {
                if (_all[index].TryTake())
                    Drop(_all[index]);
            }
        }
    }

    /// <summary>Collects the garbage of big runs. They make few objects, which alone would not make the
    /// collector look at what has survived a while: hundreds of megabytes would stay.</summary>
    public void CollectGarbage(long nowMs)
    {
        if (nowMs - _collectedMs < CollectionIntervalMs || !_surroundings.CollectsGarbage || !_hasGarbage)
            return;
        _hasGarbage = false;
        _collectedMs = nowMs;
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
    }

    /// <inheritdoc/>
    public void Dispose() => Clear();

    private bool IsCurrent(ScriptMachine machine) =>
        machine.Generation == _generation
        && machine.IsInsecure == _surroundings.Server.Settings.IsInsecureScriptApi;

    private ScriptMachine TakeForLane()
    {
        lock (_lock)
        {
            while (_ofLane.TryPop(out ScriptMachine? idle))
            {
                bool wasIdle = idle.TryTake();
                Debug.Assert(wasIdle, "an idle machine is given up under the lock");
                if (IsCurrent(idle))
                    return idle;
                Drop(idle);
            }
        }

        return Make();
    }

    private void ReturnOfLane(ScriptMachine machine)
    {
        lock (_lock)
        {
            machine.Return();
            if (machine.Generation == _generation)
                _ofLane.Push(machine);
        }
    }

    private ScriptMachine Make()
    {
        bool isInsecure = _surroundings.Server.Settings.IsInsecureScriptApi;
        ScriptMachine machine = MakeMachine(isInsecure);
        machine.Generation = _generation;
        bool isTaken = machine.TryTake();
        Debug.Assert(isTaken, "a new machine is idle");
        lock (_lock)
            _all.Add(machine);
        Running.Add(machine.Run);
        return machine;
    }

    // The caller has taken it: no other thread has it.
    private void Drop(ScriptMachine machine)
    {
        lock (_lock)
            _all.Remove(machine);
        Running.Remove(machine.Run);
        machine.Dispose();
    }
}
