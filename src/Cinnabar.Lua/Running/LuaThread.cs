using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// A thread of Lua: the machine's main one, or a coroutine. It has a stack of values and a stack of calls,
/// both of them arrays that grow; a call of Lua by Lua takes a row of each and no stack of the system.
///
/// Limits: <see cref="FrameCountMax"/> calls and <see cref="StackSizeMax"/> values.
/// </summary>
public sealed class LuaThread : LuaObject
{
    /// <summary>Calls that may be under way: as many as 5.1 allows before it doubles its array past
    /// 20,000.</summary>
    internal const int FrameCountMax = 16_384;

    /// <summary>Values on one stack.</summary>
    internal const int StackSizeMax = 1 << 22;

    /// <summary>Values that a host function may leave without asking for room.</summary>
    internal const int HostSlack = 20;

    internal LuaValue[] Stack;
    internal Frame[] Frames;

    /// <summary>The row of the current call; row 0 is below all calls.</summary>
    internal int Depth;

    /// <summary>The end of results or arguments whose number is open.</summary>
    internal int Top;

    internal LuaThread(LuaMachine machine)
    {
        Machine = machine;
        machine.Budget.Charge(1200);
        Stack = new LuaValue[64];
        Frames = new Frame[4];
        Globals = machine.Globals;
        Frames[0].IsEntry = true;
    }

    /// <inheritdoc/>
    public override LuaType Type => LuaType.Thread;

    /// <summary>The machine that it belongs to.</summary>
    public LuaMachine Machine { get; }

    /// <summary>Where chunks that it loads find their globals.</summary>
    public LuaTable Globals { get; set; }

    /// <summary>Makes room up to a place of the stack.</summary>
    internal void EnsureStack(int end)
    {
        if (end > Stack.Length) GrowStack(end);
    }

    /// <summary>Takes a row for a call.</summary>
    internal ref Frame PushFrame()
    {
        if (++Depth == Frames.Length) GrowFrames();
        return ref Frames[Depth];
    }

    /// <summary>Calls a value from a host function or metamethod; the arguments lie after it.</summary>
    /// <returns>Number of results, which lie from <paramref name="place"/> on.</returns>
    internal int Call(int place, int count)
    {
        if (Machine.HostDepth >= LuaMachine.HostDepthMax) throw Error("C stack overflow");
        Machine.HostDepth++;
        int resultCount = Stack[place].Ref is HostFunction host
            ? CallHost(host, place, count)
            : throw Error($"attempt to call a {Stack[place].TypeName} value");
        Machine.HostDepth--;
        return resultCount;
    }

    /// <summary>Runs a host function.</summary>
    /// <returns>Number of results; negative: it has yielded.</returns>
    internal int CallHost(HostFunction function, int place, int count)
    {
        int top = place + 1 + count;
        EnsureStack(top + HostSlack);
        ref Frame frame = ref PushFrame();
        frame.Function = function;
        frame.Place = place;
        frame.Base = place + 1;
        frame.Top = top;
        frame.TailCalls = 0;
        frame.IsEntry = false;
        int resultCount = function.Body(new LuaCall(this, place + 1, count));
        if (resultCount >= 0) Depth--;
        return resultCount;
    }

    /// <summary>An error of a text with the position of the code at a level of calls before it: 0 the current
    /// function, 1 its caller.</summary>
    internal LuaException Error(string message, int level = 0) => new(Where(level) + message);

    /// <summary>"attempt to index local 'x' (a nil value)".</summary>
    internal LuaException TypeError(string operation, in LuaValue value, int register) =>
        Error($"attempt to {operation} a {value.TypeName} value");

    /// <summary>The position "chunk:line: " of the code at a level; empty for a host function.</summary>
    internal string Where(int level) => "";

    /// <summary>The name by which the current host function was called; null: unknown.</summary>
    internal string? CalledName(out bool isMethod)
    {
        isMethod = false;
        return null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowStack(int end)
    {
        if (end > StackSizeMax) throw Error("stack overflow");
        int size = Math.Min(StackSizeMax, Math.Max(end, Stack.Length * 2));
        Machine.Budget.Charge(16L * size);
        Array.Resize(ref Stack, size);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowFrames()
    {
        if (Frames.Length >= FrameCountMax)
        {
            Depth--;
            throw Error("stack overflow");
        }

        Machine.Budget.Charge(48L * Frames.Length * 2);
        Array.Resize(ref Frames, Frames.Length * 2);
    }
}
