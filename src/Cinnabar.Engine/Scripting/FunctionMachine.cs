// A machine for functions of libraries. It has a library after it has run the library's code, which registers
// the functions: once in a machine, when one of them is called there for the first time.
//
// A library whose functions keep state has one machine of its own, the home, where all its runs hold all
// stripes. Variables that are assigned are seen in the code (KeptState). Tables around the functions are
// watched: as long as none changes, every machine has the same. The first change is found before it is made:
//
//   a run that can leave    is taken back; the library is known to keep state; it runs again in the home
//   any other               is in the home already: from now on the library keeps state, and the run goes on

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>Runs functions of libraries, one at a time.</summary>
internal sealed class FunctionMachine : ScriptMachine
{
    private readonly Dictionary<FunctionLibrary, LibraryInstance> _instances = [];
    private readonly LibraryApi _api;
    private readonly FunctionLibrary? _resident;
    private LibraryInstance? _running;
    private LibrarySet? _pruned;
    private LoadBounds? _bounds;
    private long _loadStartNs;

    /// <summary>Makes a machine.</summary>
    /// <param name="surroundings">What functions need of their server.</param>
    /// <param name="running">The scripts that run.</param>
    /// <param name="isInsecure">Whether functions find what newer versions of Redis hide.</param>
    /// <param name="resident">The library whose home it is; null: it is none.</param>
    public FunctionMachine(ScriptSurroundings surroundings, RunningScripts running, bool isInsecure,
        FunctionLibrary? resident = null)
        : base(surroundings, running, isInsecure, isForFunctions: true)
    {
        _resident = resident;
        _api = new LibraryApi(Lua, Names, surroundings.RedisVersion);
        Lua.Budget.Watcher = BeforeTableChange;
    }

    /// <inheritdoc/>
    protected override string ChunkName => FunctionLibrary.ChunkName;

    private bool IsLeaving => _bounds is { LeaveNs: not 0 } bounds
        && Surroundings.Server.Clock.MonotonicNanoseconds - _loadStartNs > bounds.LeaveNs;

    /// <summary>Runs the code of a library that is being loaded.</summary>
    /// <param name="header">Its first line.</param>
    /// <param name="source">Its text.</param>
    /// <param name="prototype">Its code.</param>
    /// <param name="bounds">How long that may run.</param>
    /// <returns>The library; null: its code runs for longer than a loop has.</returns>
    /// <exception cref="LibraryException">Its code failed.</exception>
    public FunctionLibrary? Load(
        LibraryHeader header, byte[] source, Prototype prototype, in LoadBounds bounds)
    {
        _bounds = bounds;
        _loadStartNs = Surroundings.Server.Clock.MonotonicNanoseconds;
        Lua.Budget.SetLimit(Surroundings.Server.Settings.ScriptMemoryMax);
        try
        {
            RunCode(prototype, out LuaValue error);
            WriteLog();
            if (!error.IsNil)
                throw new LibraryException("Error registering functions: " + LuaErrorText.Of(error));
        }
        catch (LuaAbortException abort)
        {
            if (abort is LuaInterruptException && IsLeaving)
                return null;
            WriteLog();
            throw new LibraryException("Error registering functions: " + abort.Message);
        }
        finally
        {
            _bounds = null;
        }

        if (_api.Registrations.Count == 0)
            throw new LibraryException("No functions registered");
        KeptState state = KeptState.Of(Lua, _api.Environment, _api.Callbacks);
        var library = new FunctionLibrary(header.Name, source, prototype, [.. _api.Registrations])
        {
            HasTables = state.HasTables,
        };
        if (state.IsAssigned)
            library.LearnState();
        return library;
    }

    /// <inheritdoc/>
    protected override ReadOnlySpan<LuaValue> Call(
        SessionExecution execution, Runnable script, int keyCount, out LuaValue error)
    {
        var function = (LibraryFunction)script;
        Debug.Assert(!function.Library.HasState || _resident == function.Library || Run.CanLeave,
            "state is in one machine");
        Debug.Assert(_resident is null || Run.HoldsAll, "the home is used by one run at a time");
        Prune();
        if (!_instances.TryGetValue(function.Library, out _running))
        {
            RunCode(function.Library.Prototype, out error);
            if (!error.IsNil)
                return default;
            _running = Keep(function.Library);
        }

        // Where state is kept, so may be what a function was given.
        (LuaTable keys, LuaTable arguments) = _resident is null ? (Keys, Arguments)
            : (Lua.NewTable(), Lua.NewTable());
        SetArguments(execution, keyCount, keys, arguments);
        return Lua.Call(_running.Callbacks[function.Index], ErrorHandler, out error,
            LuaValue.From(keys), LuaValue.From(arguments));
    }

    /// <inheritdoc/>
    protected override void Interrupted()
    {
        if (_bounds is not { } bounds)
        {
            Run.Interrupted();
            return;
        }

        long elapsedNs = Surroundings.Server.Clock.MonotonicNanoseconds - _loadStartNs;
        if (IsLeaving || (bounds.EndNs != 0 && elapsedNs > bounds.EndNs))
            throw new LuaInterruptException("ERR FUNCTION LOAD timeout");
    }

    private void RunCode(Prototype prototype, out LuaValue error)
    {
        _api.Begin();
        try
        {
            Lua.Call(Lua.Bind(prototype, _api.Environment), ErrorHandler, out error);
        }
        finally
        {
            _api.End();
        }
    }

    private LibraryInstance Keep(FunctionLibrary library)
    {
        LuaFunction[] callbacks = _api.Callbacks;
        Debug.Assert(callbacks.Length == library.Functions.Length, "its code does the same again");
        var instance = new LibraryInstance(callbacks, KeptState.Of(Lua, _api.Environment, callbacks));
        if (_resident is null || !library.HasState)
            instance.State.Watch();
        // The walk that measures memory finds it there.
        LuaTable kept = Lua.NewTable(callbacks.Length, 0);
        for (int index = 0; index < callbacks.Length; index++)
            kept.Set(index + 1, LuaValue.From(callbacks[index]));
        Lua.Registry.Set(library.Name, LuaValue.From(kept));
        _instances.Add(library, instance);
        return instance;
    }

    private void Prune()
    {
        LibrarySet current = Surroundings.Server.Libraries.Current;
        if (_pruned == current)
            return;
        _pruned = current;
        foreach (FunctionLibrary library in _instances.Keys)
        {
            if (current.FindLibrary(library.Name) == library)
                continue;
            _instances.Remove(library);
            Lua.Registry.Set(library.Name, LuaValue.Nil);
        }
    }

    // Before a table around the functions of the run changes for the first time.
    private void BeforeTableChange()
    {
        var function = (LibraryFunction)Run.Script;
        function.Library.LearnState();
        if (_resident is null)
            throw Run.NeedNoUndo();
        _running!.State.Release();
    }

    private void WriteLog()
    {
        foreach ((LogLevel level, string line) in _api.Lines)
            Surroundings.Server.Log.Write(level, line);
    }
}
