using System.Linq;
using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// A Lua 5.1 of its own: globals, main thread, budgets. One thread of the system uses it at a time.
/// </summary>
public sealed class LuaMachine : IMemoryWalk
{
    /// <summary>Calls of Lua by host functions and metamethods within each other.</summary>
    internal const int HostDepthMax = 200;

    private readonly LuaOptions _options;
    private readonly MemoryWalk _walk;

    /// <summary>A machine without libraries.</summary>
    public LuaMachine(LuaOptions options)
    {
        _options = options;
        _walk = new MemoryWalk(this);
        Budget = new LuaBudget(this, options.MemoryMax);
        Globals = new LuaTable(Budget);
        Registry = new LuaTable(Budget);
        MainThread = new LuaThread(this) { Status = ThreadStatus.Running };
        CurrentThread = MainThread;
        StepsLeft = options.InterruptSteps;
    }

    /// <summary>The table of global variables.</summary>
    public LuaTable Globals { get; }

    /// <summary>A table of the host's that scripts do not see.</summary>
    public LuaTable Registry { get; }

    /// <summary>What its memory is charged to.</summary>
    public LuaBudget Budget { get; }

    /// <summary>The thread that is no coroutine.</summary>
    public LuaThread MainThread { get; }

    /// <summary>The thread that runs now.</summary>
    public LuaThread CurrentThread { get; internal set; }

    /// <summary>Called before each line, with the thread and the line; null: lines are not reported. It takes
    /// effect with the next call from the host.</summary>
    public Action<LuaThread, int>? OnLine { get; set; }

    /// <summary>The metatable of all strings.</summary>
    public LuaTable? StringMetatable { get; set; }

    /// <summary>The threads that wait for a coroutine that they resumed.</summary>
    internal Stack<LuaThread> Resumers { get; } = [];

    /// <summary>The keys of a metatable, by <see cref="MetaEvent"/>.</summary>
    internal LuaString[] EventNames { get; } =
    [
        .. new[]
        {
            "__index", "__newindex", "__mode", "__eq", "__add", "__sub", "__mul", "__div", "__mod", "__pow",
            "__unm", "__len", "__lt", "__le", "__concat", "__call", "__tostring", "__metatable", "__gc",
        }.Select(LuaString.From),
    ];

    /// <summary>Where <c>print</c> writes.</summary>
    internal Action<ReadOnlyMemory<byte>>? Print => _options.Print;

    /// <summary>Calls of Lua by host functions and metamethods that are under way.</summary>
    internal int HostDepth { get; set; }

    /// <summary>Work that may be done before the next interrupt.</summary>
    internal int StepsLeft;

    /// <summary>An empty table, charged to this machine.</summary>
    public LuaTable NewTable(int arraySize = 0, int hashSize = 0) => new(Budget, arraySize, hashSize);

    /// <summary>A string, charged to this machine.</summary>
    public LuaValue NewString(ReadOnlySpan<byte> bytes)
    {
        Budget.Charge(LuaString.Overhead + bytes.Length);
        return LuaValue.FromString(LuaString.From(bytes));
    }

    /// <summary>Sets a global to a function of the host.</summary>
    public void SetGlobal(string name, HostBody body) => SetFunction(Globals, name, body);

    /// <summary>Sets a key of a table to a function of the host.</summary>
    public void SetFunction(LuaTable table, string name, HostBody body) =>
        table.Set(name, LuaValue.From(new HostFunction(name, body) { Environment = Globals }));

    /// <summary>Compiles a source text.</summary>
    /// <param name="source">The text.</param>
    /// <param name="chunkName">Its name: "@file", "=name", or the text itself.</param>
    /// <param name="pool">Shares its names and constants with those of other texts; null: it has its
    /// own.</param>
    /// <exception cref="LuaException">It is no Lua; the value is the message.</exception>
    public static Prototype Compile(
        ReadOnlySpan<byte> source, LuaString chunkName, LuaStringPool? pool = null)
    {
        if (source.Length > 0 && source[0] == 27)
            throw new LuaException(ChunkName.Shown(chunkName, ChunkName.SizeInErrors)
                + ": bad header in precompiled chunk");
        return ChunkParser.Compile(source, chunkName, pool);
    }

    /// <summary>Compiles a source text and makes it a function of this machine.</summary>
    /// <param name="source">The text.</param>
    /// <param name="chunkName">Its name: "@file", "=name", or the text itself.</param>
    /// <exception cref="LuaException">It is no Lua; the value is the message.</exception>
    public LuaClosure Load(ReadOnlySpan<byte> source, string chunkName) =>
        Bind(Compile(source, LuaString.From(chunkName)));

    /// <summary>Makes a compiled chunk a function of this machine.</summary>
    public LuaClosure Bind(Prototype prototype) => Bind(prototype, CurrentThread.Globals);

    /// <summary>Makes a compiled chunk a function of this machine with globals of its own.</summary>
    public LuaClosure Bind(Prototype prototype, LuaTable environment)
    {
        Debug.Assert(prototype.Upvalues.Length == 0);
        Budget.Charge(LuaClosure.SizeOf(prototype));
        return new LuaClosure(prototype, environment);
    }

    /// <summary>Calls a function.</summary>
    /// <returns>Its results.</returns>
    /// <exception cref="LuaException">The script failed.</exception>
    /// <exception cref="LuaAbortException">The run was ended.</exception>
    public LuaValue[] Call(LuaValue function, params ReadOnlySpan<LuaValue> arguments)
    {
        LuaThread thread = CurrentThread;
        int depth = thread.Depth;
        int hostDepth = HostDepth;
        int place = thread.Frames[depth].Top;
        thread.EnsureStack(place + 1 + arguments.Length + LuaThread.HostSlack);
        thread.Stack[place] = function;
        arguments.CopyTo(thread.Stack.AsSpan(place + 1));
        try
        {
            int count = thread.Call(place, arguments.Length);
            return thread.Stack.AsSpan(place, count).ToArray();
        }
        catch
        {
            Unwind(thread, depth, hostDepth);
            throw;
        }
    }

    /// <summary>Calls a function. An error goes to a handler, which runs before the calls
    /// that failed are unwound.</summary>
    /// <param name="function">The function.</param>
    /// <param name="handler">Gets the error.</param>
    /// <param name="error">What the handler has made of it; nil: there was none.</param>
    /// <param name="arguments">The function's arguments.</param>
    /// <returns>The function's results, which hold until the next call.</returns>
    /// <exception cref="LuaAbortException">The run was ended.</exception>
    public ReadOnlySpan<LuaValue> Call(LuaFunction function, LuaValue handler, out LuaValue error,
        params ReadOnlySpan<LuaValue> arguments)
    {
        LuaThread thread = CurrentThread;
        int depth = thread.Depth;
        int hostDepth = HostDepth;
        int place = thread.Frames[depth].Top;
        error = default;
        try
        {
            thread.EnsureStack(place + 1 + arguments.Length + LuaThread.HostSlack);
            thread.Stack[place] = LuaValue.From(function);
            arguments.CopyTo(thread.Stack.AsSpan(place + 1));
            int count = thread.Call(place, arguments.Length);
            return thread.Stack.AsSpan(place, count);
        }
        catch (LuaException exception)
        {
            HostDepth = hostDepth;
            error = thread.Handle(handler, exception.Value);
            Unwind(thread, depth, hostDepth);
            return default;
        }
        catch (LuaAbortException abort)
        {
            // A host function has no line; its caller has.
            for (int level = 0; abort.Line == 0 && HasLevel(level); level++)
                abort.Line = CurrentLine(level);
            Unwind(thread, depth, hostDepth);
            throw;
        }
        catch
        {
            Unwind(thread, depth, hostDepth);
            throw;
        }
    }

    /// <summary>The line that runs at a level of calls: 0 the current function, 1 its caller; 0: none is
    /// known.</summary>
    public int CurrentLine(int level)
    {
        int row = CurrentThread.RowOf(level);
        return row >= 0 && CurrentThread.Frames[row].Function is LuaClosure closure
            ? closure.Prototype.Lines[Math.Max(CurrentThread.Frames[row].Next - 1, 0)] : 0;
    }

    /// <summary>The name of the chunk that runs at a level of calls, as it was given; null: none is
    /// known.</summary>
    public LuaString? CurrentChunk(int level)
    {
        int row = CurrentThread.RowOf(level);
        return row >= 0 && CurrentThread.Frames[row].Function is LuaClosure closure
            ? closure.Prototype.Chunk : null;
    }

    /// <summary>The local variables that can be seen at a level of calls, in the order of
    /// declaration.</summary>
    public IReadOnlyList<KeyValuePair<string, LuaValue>> Locals(int level)
    {
        int row = CurrentThread.RowOf(level);
        if (row < 0 || CurrentThread.Frames[row].Function is not LuaClosure closure) return [];
        Frame frame = CurrentThread.Frames[row];
        return [.. closure.Prototype.Locals
            .Where(local => local.Start <= frame.Next - 1 && frame.Next - 1 < local.End)
            .Select(local => KeyValuePair.Create(local.Name.ToString(),
                CurrentThread.Stack[frame.Base + local.Register]))];
    }

    /// <summary>The name by which the function at a level of calls was called; null: none is known.</summary>
    public string? FunctionName(int level)
    {
        int row = CurrentThread.RowOf(level);
        if (row <= 1 || CurrentThread.Frames[row].TailCalls > 0) return null;
        return CurrentThread.CalledName(row, out _);
    }

    /// <summary>Whether there is a level of calls.</summary>
    public bool HasLevel(int level) =>
        CurrentThread.RowOf(level) >= 0 || CurrentThread.IsTailCallAt(level);

    /// <summary>Ends a run: gives stacks that grew back, and measures what is still alive.</summary>
    public void Reset()
    {
        Debug.Assert(MainThread.Depth == 0);
        MainThread.Shrink();
        StepsLeft = _options.InterruptSteps;
        Budget.Measure();
    }

    private void Unwind(LuaThread thread, int depth, int hostDepth)
    {
        Debug.Assert(CurrentThread == thread && thread.Status == ThreadStatus.Running,
            "the coroutines that it resumed have ended");
        thread.Unwind(depth);
        HostDepth = hostDepth;
    }

    long IMemoryWalk.MeasureLive() => _walk.MeasureLive();

    // What the host allocates between two runs is nobody's work.
    void IMemoryWalk.Interrupt()
    {
        if (MainThread.Depth > 0) CallInterrupt();
    }

    /// <summary>Tells the hook of a new line: the function begins, the line is another one than that of the
    /// call's last instruction, or the code has jumped back.</summary>
    internal void ReportLine(LuaThread thread, Prototype prototype, int instruction, int last)
    {
        int line = prototype.Lines[instruction];
        if (instruction <= last || instruction == 0 || prototype.Lines[last] != line)
            OnLine?.Invoke(thread, line);
    }

    /// <summary>Counts a look through a text as work.</summary>
    internal void StepText(int length)
    {
        const int bytesPerStepLog2 = 6;
        Step(length >> bytesPerStepLog2);
    }

    /// <summary>Counts values that are copied as work: a list of arguments or results may be long.</summary>
    internal void StepCopied(int valueCount)
    {
        const int valuesPerStepLog2 = 3;
        Step(valueCount >> valuesPerStepLog2);
    }

    /// <summary>Counts work, and calls the interrupt when it is due.</summary>
    internal void Step(int cost)
    {
        if ((StepsLeft -= cost) <= 0) CallInterrupt();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void CallInterrupt()
    {
        StepsLeft = _options.InterruptSteps;
        _options.Interrupt?.Invoke();
    }
}
