using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripts;
using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>The machines that run functions: those that any library uses, and the homes of libraries that
/// keep state. Any thread.</summary>
internal sealed class FunctionMachines : ILibraryLoader, IDisposable
{
    private readonly ScriptSurroundings _surroundings;
    private readonly RunningScripts _running;
    private readonly ScriptMachines _shared;
    private readonly Dictionary<FunctionLibrary, FunctionMachine> _homes = [];
    private readonly LuaString _chunkName = LuaString.From(FunctionLibrary.ChunkName);
    private readonly Lock _lock = new();

    /// <summary>Makes them.</summary>
    /// <param name="surroundings">What functions need of their server.</param>
    /// <param name="running">The scripts that run.</param>
    /// <param name="loopCount">The number of loops.</param>
    public FunctionMachines(ScriptSurroundings surroundings, RunningScripts running, int loopCount)
    {
        (_surroundings, _running) = (surroundings, running);
        _shared = new ScriptMachines(surroundings, loopCount, running)
        {
            MakeMachine = isInsecure => new FunctionMachine(surroundings, running, isInsecure),
        };
        Libraries = new FunctionLibraries(this, surroundings.Server.Sessions.Records) { Changed = Forget };
    }

    /// <summary>The libraries.</summary>
    public FunctionLibraries Libraries { get; }

    /// <summary>About how many bytes the machines hold.</summary>
    public long MemoryBytes
    {
        get
        {
            long bytes = _shared.MemoryBytes;
            lock (_lock)
            {
                foreach (FunctionMachine home in _homes.Values)
                    bytes += home.MemoryBytes;
            }

            return bytes;
        }
    }

    private bool IsInsecure => _surroundings.Server.Settings.IsInsecureScriptApi;

    /// <summary>Runs a function; on the thread of its execution.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="function">The function.</param>
    /// <param name="keyCount">The number of its keys, which begin at argument 3.</param>
    /// <param name="isReadOnly">Whether it may write nothing.</param>
    public Outcome Run(
        SessionExecution execution, LibraryFunction function, int keyCount, bool isReadOnly)
    {
        FunctionLibrary library = function.Library;
        bool isHeld = execution.Stripes.Count == _surroundings.Server.Keyspace.Stripes.Length;
        // Another run may just have found out.
        if (library.HasState && !isHeld)
            return Outcome.AllStripes;
        if (library.HasState && execution.Place == ExecutionPlace.OnLoop)
            return Outcome.OffLoop;
        bool stays = isHeld && execution.Place != ExecutionPlace.OnLoop;
        if (library.HasState || (library.HasTables && stays))
            return HomeOf(library).RunScript(execution, function, keyCount, isReadOnly);
        ScriptMachine machine = _shared.Take(execution);
        Outcome outcome = machine.RunScript(execution, function, keyCount, isReadOnly);
        _shared.Return(execution, machine);
        return outcome;
    }

    /// <inheritdoc/>
    public FunctionLibrary? Load(LibraryHeader header, ReadOnlySpan<byte> source, in LoadBounds bounds)
    {
        using var machine = new FunctionMachine(_surroundings, _running, IsInsecure);
        return machine.Load(header, source.ToArray(), Compile(header, source), in bounds);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _shared.Dispose();
        foreach (FunctionMachine home in _homes.Values)
            home.Dispose();
        _homes.Clear();
    }

    // The homes of libraries that are no longer there; no function of theirs runs.
    private void Forget()
    {
        LibrarySet current = Libraries.Current;
        lock (_lock)
        {
            foreach ((FunctionLibrary library, FunctionMachine home) in _homes)
            {
                if (current.FindLibrary(library.Name) == library)
                    continue;
                _homes.Remove(library);
                _running.Remove(home.Run);
                home.Dispose();
            }
        }
    }

    private Prototype Compile(LibraryHeader header, ReadOnlySpan<byte> source)
    {
        try
        {
            return LuaMachine.Compile(source[header.CodeStart..], _chunkName,
                _surroundings.Server.Scripts.Strings);
        }
        catch (LuaException exception)
        {
            throw new LibraryException("Error compiling function: " + LuaErrorText.Of(exception.Value));
        }
    }

    private FunctionMachine HomeOf(FunctionLibrary library)
    {
        lock (_lock)
        {
            if (_homes.TryGetValue(library, out FunctionMachine? home))
                return home;
            home = new FunctionMachine(_surroundings, _running, IsInsecure, library);
            _running.Add(home.Run);
            _homes.Add(library, home);
            return home;
        }
    }
}
