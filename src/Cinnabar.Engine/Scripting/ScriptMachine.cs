// A Lua machine with what scripts of Redis find in it. Everything that they reach through globals is
// read-only: a run leaves nothing to the next one, except what the libraries keep, and Reset undoes that.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Scripting.Debugging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>Runs scripts, one at a time.</summary>
internal class ScriptMachine : IDisposable
{
    // A power of two: a script's function is at the place that its digest gives, and made anew where another
    // script has taken that.
    private const int BoundCount = 64;

    // A run that has used less, and was not measured while it had its values, is not worth a walk over what
    // is alive.
    private const long MeasuredBytesMin = 1 << 20;

    // So much garbage is worth a pause of some milliseconds.
    private const long GarbageBytesMin = 32 << 20;

    private readonly ScriptSurroundings _surroundings;
    private readonly ILoopServer _server;
    private int _isTaken;
    private readonly LuaMachine _lua;
    private readonly StandardLibraries _libraries;
    private readonly ScriptNames _names = new();
    private readonly Bound[] _bound = new Bound[BoundCount];
    private readonly LuaTable _keys;
    private readonly LuaTable _argv;
    private readonly LuaValue _errorHandler;

    /// <summary>Makes a machine.</summary>
    /// <param name="surroundings">What its scripts need of their server.</param>
    /// <param name="running">The scripts that run.</param>
    /// <param name="isInsecure">Whether scripts find what newer versions of Redis hide
    /// (<c>lua-enable-insecure-api</c>).</param>
    /// <param name="isForFunctions">Whether it runs functions of libraries.</param>
    public ScriptMachine(ScriptSurroundings surroundings, RunningScripts running, bool isInsecure,
        bool isForFunctions = false)
    {
        _surroundings = surroundings;
        _server = surroundings.Server;
        IsInsecure = isInsecure;
        Run = new ScriptRun(surroundings, running);
        _lua = new LuaMachine(new LuaOptions { Interrupt = Interrupted });
        _libraries = new StandardLibraries(_lua);
        BaseLibrary.Open(_lua);
        _errorHandler = LuaValue.From(new HostFunction("error handler", HandleError));
        Sandbox.Open(_lua, _libraries, _server.Clock, isInsecure);
        new RedisLibrary(_lua, Run, _names, surroundings).Open(isForFunctions);
        // A script leaves nothing behind by which a later one could find these tables: each run gets them.
        (_keys, _argv) = (_lua.NewTable(), _lua.NewTable());
        if (!isForFunctions)
        {
            _lua.Globals.Set(_names.Keys, LuaValue.From(_keys));
            _lua.Globals.Set(_names.Arguments, LuaValue.From(_argv));
        }

        Sandbox.Close(_lua);
        _lua.Budget.Measure();
    }

    /// <summary>Whether scripts find what newer versions of Redis hide.</summary>
    public bool IsInsecure { get; }

    /// <summary>How often the server's scripts had been flushed when it was made.</summary>
    public int Generation { get; set; }

    /// <summary>About how many bytes it holds; racy. While it is idle, garbage does not count.</summary>
    public long MemoryBytes => Run.IsUnderWay ? _lua.Budget.Used : _lua.Budget.Live;

    /// <summary>Whether its last run has left much garbage to the collector.</summary>
    public bool HasLeftGarbage { get; private set; }

    /// <summary>The run of the moment.</summary>
    public ScriptRun Run { get; }

    /// <summary>The machine of Lua.</summary>
    protected LuaMachine Lua => _lua;

    /// <summary>Names of the machine.</summary>
    protected ScriptNames Names => _names;

    /// <summary>What its scripts need of their server.</summary>
    protected ScriptSurroundings Surroundings => _surroundings;

    /// <summary>Makes an error that is thrown a table with its place.</summary>
    protected LuaValue ErrorHandler => _errorHandler;

    /// <summary>The name of the code of its scripts, in errors without a place.</summary>
    protected virtual string ChunkName => Script.ChunkName;

    /// <summary>For the keys of a run.</summary>
    protected LuaTable Keys => _keys;

    /// <summary>For the other arguments of a run.</summary>
    protected LuaTable Arguments => _argv;

    /// <summary>Takes it for a run, or to give it up; any thread.</summary>
    /// <returns>Whether it was idle.</returns>
    // ORDER: what the thread that returned it has written is seen by the one that takes it.
    public bool TryTake() => Interlocked.CompareExchange(ref _isTaken, 1, 0) == 0;

    /// <summary>Lets others take it; by the thread that has taken it.</summary>
    public void Return()
    {
        Debug.Assert(_isTaken != 0 && !Run.IsUnderWay, "it is returned after its run");
        Volatile.Write(ref _isTaken, 0);
    }

    /// <summary>Runs a script.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="script">The script.</param>
    /// <param name="keyCount">The number of its keys, which begin at argument 3.</param>
    /// <param name="isReadOnly">Whether it may write nothing.</param>
    /// <param name="debugger">What debugs it; null: nothing does.</param>
    public Outcome RunScript(SessionExecution execution, Runnable script, int keyCount, bool isReadOnly,
        ScriptDebugger? debugger = null)
    {
        Run.Begin(execution, script, isReadOnly, debugger);
        _libraries.Reset((int)(execution.Random.Next() >> 32));
        _lua.Budget.SetLimit(_server.Settings.ScriptMemoryMax);
        long usedBytes = _lua.Budget.BeginRun();
        long liveBytes = _lua.Budget.Live;
        debugger?.Attach(_lua, Run.Interrupted);
        try
        {
            ReadOnlySpan<LuaValue> results = Execute(execution, script, keyCount, out LuaValue error);
            Run.Commit();
            debugger?.Log.End();
            Reply(execution, results, error);
        }
        catch (LuaInterruptException) when (Run.Leave != ScriptLeave.None)
        {
            return Run.RollBack();
        }
        catch (LuaAbortException abort)
        {
            Run.Commit();
            debugger?.Log.End();
            string text = abort is LuaInterruptException
                ? "ERR Script killed by user with SCRIPT KILL..." : $"ERR {abort.Message}";
            ReplyError(execution, Encoding.UTF8.GetBytes(text), ChunkName, Math.Max(abort.Line, 1));
        }
        finally
        {
            // Its client's thinking is no time of the script's.
            if (debugger is null)
                Run.Count(_lua.Budget.Peak - usedBytes);
            debugger?.Detach(_lua);
            Run.End();
            HasLeftGarbage = _lua.Budget.Used > GarbageBytesMin;
            if (_lua.Budget.Used > MeasuredBytesMin || _lua.Budget.Live != liveBytes)
                Clean();
        }

        return Outcome.Done;
    }

    /// <inheritdoc/>
    public void Dispose() => Run.Dispose();

    /// <summary>The hook of the machine: returns, or ends what runs.</summary>
    protected virtual void Interrupted() => Run.Interrupted();

    /// <summary>Calls a script.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="script">The script.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="error">The error as a table; nil: there was none.</param>
    /// <returns>What it returns.</returns>
    protected virtual ReadOnlySpan<LuaValue> Call(
        SessionExecution execution, Runnable script, int keyCount, out LuaValue error)
    {
        SetArguments(execution, keyCount, _keys, _argv);
        return _lua.Call(FunctionOf((Script)script), _errorHandler, out error);
    }

    /// <summary>Fills tables with what a run is given.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="keys">Gets these.</param>
    /// <param name="arguments">Gets the other arguments.</param>
    protected void SetArguments(
        SessionExecution execution, int keyCount, LuaTable keys, LuaTable arguments)
    {
        const int firstKey = 3;
        Fill(keys, execution, firstKey, keyCount);
        Fill(arguments, execution, firstKey + keyCount, execution.ArgumentCount - firstKey - keyCount);
    }

    // What the script calls uses the execution for its own; after this it is again the script's.
    private ReadOnlySpan<LuaValue> Execute(
        SessionExecution execution, Runnable script, int keyCount, out LuaValue error)
    {
        Run.Command.Begin(execution);
        try
        {
            return Call(execution, script, keyCount, out error);
        }
        finally
        {
            Run.Command.End(execution);
        }
    }

    private LuaClosure FunctionOf(Script script)
    {
        ref Bound bound = ref _bound[script.Digest.GetHashCode() & (BoundCount - 1)];
        if (bound.Script != script)
            bound = new Bound(script, _lua.Bind(script.Prototype));
        return bound.Function;
    }

    // Arguments of a big run stay no longer than it.
    private void Clean()
    {
        _keys.Renew(0);
        _argv.Renew(0);
        _lua.Reset();
    }

    private void Fill(LuaTable table, SessionExecution execution, int first, int count)
    {
        table.Renew(count);
        for (int index = 0; index < count; index++)
            table.Set(index + 1, _lua.NewString(execution.Argument(first + index)));
    }

    // Runs where the error was thrown, so that it knows the line.
    private int HandleError(LuaCall call)
    {
        LuaValue error = call[0];
        int level = _lua.CurrentLine(1) > 0 ? 1 : 2;
        LuaTable table = error.IsTable ? error.Table : RedisLibrary.ErrorTable(_lua, _names,
            [.. "ERR "u8, .. call.ToText(error).String.Bytes], isCounted: false).Table;
        int line = _lua.CurrentLine(level);
        if (line > 0 && !table.IsReadOnly)
        {
            table.Set("source", LuaValue.From(_lua.CurrentChunk(level)!));
            table.Set("line", (double)line);
        }

        return call.Return(LuaValue.From(table));
    }

    private void Reply(SessionExecution execution, ReadOnlySpan<LuaValue> results, LuaValue failure)
    {
        if (failure.IsNil)
        {
            LuaValue result = results.IsEmpty ? LuaValue.Nil : results[0];
            new LuaToReply(_names, Run.IsResp3, _surroundings.Errors)
                .Write(ref execution.Reply, result);
            return;
        }

        if (!failure.IsTable)
        {
            // The stack was full: there was no room for the handler.
            ReplyError(execution, Encoding.Latin1.GetBytes("ERR stack overflow"), ChunkName, 1);
            return;
        }

        LuaTable error = failure.Table;
        LuaValue text = error.Get(_names.Err);
        LuaValue source = error.Get(LuaString.From("source"));
        LuaValue line = error.Get(LuaString.From("line"));
        ReadOnlySpan<byte> message = text.IsString ? text.String.Bytes : "ERR unknown error"u8;
        if (source.IsString && line.TryToNumber(out double number))
            ReplyError(execution, message, source.String.ToString(), (int)number);
        else
            ReplyError(execution, message, null, 0);
        if (error.Get(_names.IsCounted).IsTruthy)
            _surroundings.Errors.Uncount(message);
    }

    private void ReplyError(SessionExecution execution, ReadOnlySpan<byte> message, string? source, int line)
    {
        execution.Reply.BeginError();
        execution.Reply.ErrorText(message);
        // An error without a place has no name, either.
        if (source is not null)
        {
            execution.Reply.ErrorText(Encoding.Latin1.GetBytes($" script: {Run.Script.Name}"));
            execution.Reply.ErrorText(Encoding.UTF8.GetBytes($", on {source}:{line}."));
        }

        execution.Reply.EndError();
    }

    private readonly record struct Bound(Script Script, LuaClosure Function);
}
