using System.Linq;
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

    /// <summary>A machine without libraries.</summary>
    public LuaMachine(LuaOptions options)
    {
        _options = options;
        Budget = new LuaBudget(this, options.MemoryMax);
        Globals = new LuaTable(Budget);
        Registry = new LuaTable(Budget);
        MainThread = new LuaThread(this);
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

    /// <summary>The metatable of all strings.</summary>
    public LuaTable? StringMetatable { get; set; }

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

    /// <summary>Calls a function.</summary>
    /// <returns>Its results.</returns>
    /// <exception cref="LuaException">The script failed.</exception>
    /// <exception cref="LuaAbortException">The run was ended.</exception>
    public LuaValue[] Call(LuaValue function, params ReadOnlySpan<LuaValue> arguments)
    {
        LuaThread thread = CurrentThread;
        int place = thread.Frames[thread.Depth].Top;
        thread.EnsureStack(place + 1 + arguments.Length + LuaThread.HostSlack);
        thread.Stack[place] = function;
        arguments.CopyTo(thread.Stack.AsSpan(place + 1));
        int count = thread.Call(place, arguments.Length);
        return thread.Stack.AsSpan(place, count).ToArray();
    }

    long IMemoryWalk.MeasureLive() => Budget.Used;

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
