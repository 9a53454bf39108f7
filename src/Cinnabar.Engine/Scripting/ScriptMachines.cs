namespace Cinnabar.Engine.Scripting;

/// <summary>The machines of a server: as many as scripts have run at the same time. Any thread.</summary>
internal sealed class ScriptMachines(ScriptSurroundings surroundings) : IDisposable
{
    private const long CollectionIntervalMs = 1000;

    private readonly ScriptSurroundings _surroundings = surroundings;
    private readonly Stack<ScriptMachine> _idle = [];
    private readonly List<ScriptMachine> _all = [];
    private readonly Lock _lock = new();
    private int _generation;
    private bool _hasGarbage;
    private long _collectedMs;

    /// <summary>The scripts that run now.</summary>
    public RunningScripts Running { get; } = new();

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

    /// <summary>Takes a machine for a run.</summary>
    public ScriptMachine Take()
    {
        bool isInsecure = _surroundings.Server.Settings.IsInsecureScriptApi;
        lock (_lock)
        {
            if (_idle.TryPop(out ScriptMachine? idle))
            {
                if (idle.IsInsecure == isInsecure)
                    return idle;
                Drop(idle);
            }
        }

        var machine = new ScriptMachine(_surroundings, Running, isInsecure) { Generation = _generation };
        lock (_lock)
            _all.Add(machine);
        return machine;
    }

    /// <summary>Returns a machine whose run is over.</summary>
    public void Return(ScriptMachine machine)
    {
        lock (_lock)
        {
            _hasGarbage |= machine.HasLeftGarbage;
            if (machine.Generation == _generation)
                _idle.Push(machine);
            else
                Drop(machine);
        }
    }

    /// <summary>Forgets all machines: the scripts were flushed. Those that run end with their run.</summary>
    public void Clear()
    {
        lock (_lock)
        {
            _generation++;
            while (_idle.TryPop(out ScriptMachine? machine))
                Drop(machine);
        }
    }

    /// <summary>Collects the garbage of big runs. They make few objects, which alone would not make the
    /// collector look at what has survived a while: hundreds of megabytes would stay.</summary>
    public void CollectGarbage(long nowMs)
    {
        if (nowMs - _collectedMs < CollectionIntervalMs || !_surroundings.CollectsGarbage)
            return;
        lock (_lock)
        {
            if (!_hasGarbage)
                return;
            _hasGarbage = false;
        }

        _collectedMs = nowMs;
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
    }

    /// <inheritdoc/>
    public void Dispose() => Clear();

    private void Drop(ScriptMachine machine)
    {
        _all.Remove(machine);
        machine.Dispose();
    }
}
