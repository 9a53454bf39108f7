using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Syntax;
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

    /// <summary>Calls and values beyond these limits that the handler of an error may use.</summary>
    internal const int HandlerFrameCount = 256;

    private const int HandlerStackSize = 8192;

    /// <summary>Values that a host function may leave without asking for room.</summary>
    internal const int HostSlack = 20;

    private const int KeptStackSize = 1024;
    private const int KeptFrameCount = 64;

    internal LuaValue[] Stack;
    internal Frame[] Frames;

    /// <summary>The row of the current call; row 0 is below all calls.</summary>
    internal int Depth;

    /// <summary>The end of results or arguments whose number is open.</summary>
    internal int Top;

    /// <summary>Whether the handler of an error runs: it has room of its own, for the stack may be
    /// full.</summary>
    internal bool IsHandlingError { get; private set; }

    /// <summary>The open upvalues of its stack, the highest first.</summary>
    internal Upvalue? OpenUpvalues;

    /// <summary>What it is doing. The main thread runs, or has resumed a coroutine.</summary>
    internal ThreadStatus Status;

    /// <summary>Coroutine: calls of the host that were under way when it was resumed.</summary>
    internal int HostDepthAtResume;

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

    /// <summary>Gives arrays that grew back, and what they refer to.</summary>
    internal void Shrink()
    {
        Debug.Assert(Depth == 0 && OpenUpvalues is null);
        if (Stack.Length > KeptStackSize) Stack = new LuaValue[KeptStackSize];
        else Stack.AsSpan().Clear();
        if (Frames.Length > KeptFrameCount) Array.Resize(ref Frames, KeptFrameCount);
        Frames.AsSpan(1).Clear();
    }

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
        LuaMachine machine = Machine;
        if (machine.HostDepth >= LuaMachine.HostDepthMax) throw Error("C stack overflow");
        machine.HostDepth++;
        int resultCount = Start(place, count);
        Debug.Assert(resultCount >= 0);
        machine.HostDepth--;
        return resultCount;
    }

    /// <summary>Calls a value and runs until it returns or yields.</summary>
    /// <returns>Number of results; negative: it has yielded.</returns>
    internal int Start(int place, int count)
    {
        while (true)
        {
            object? function = Stack[place].Ref;
            if (function is LuaClosure closure)
            {
                Machine.Step(1);
                PushCall(closure, place, count, -1);
                Frames[Depth].IsEntry = true;
                return Interpreter.Run(this);
            }

            if (function is HostFunction host) return CallHost(host, place, count);
            count = PrepareCall(place, count, -1);
        }
    }

    /// <summary>Puts a value's __call before it, which then gets the value as its first argument.</summary>
    /// <returns>The new number of arguments.</returns>
    internal int PrepareCall(int place, int count, int register)
    {
        LuaValue handler = Metamethods.Find(Machine, Stack[place], MetaEvent.Call);
        if (!handler.IsFunction) throw TypeError("call", Stack[place], register);
        EnsureStack(place + count + 2);
        Stack.AsSpan(place, count + 1).CopyTo(Stack.AsSpan(place + 1));
        Stack[place] = handler;
        return count + 1;
    }

    /// <summary>Makes the row of a call of a Lua function, with its arguments where it expects
    /// them.</summary>
    internal void PushCall(LuaClosure closure, int place, int count, int wanted)
    {
        Prototype prototype = closure.Prototype;
        int first = place + 1;
        int fixedCount = prototype.ParameterCount;
        if (prototype.IsVararg)
        {
            first = MoveFixedArguments(prototype, first, count);
        }
        else
        {
            EnsureStack(first + prototype.RegisterCount + HostSlack);
            for (; count < fixedCount; count++) Stack[first + count] = default;
        }

        ref Frame frame = ref PushFrame();
        frame.Function = closure;
        frame.Place = place;
        frame.Base = first;
        frame.Top = first + prototype.RegisterCount;
        frame.Next = 0;
        frame.Wanted = wanted;
        frame.TailCalls = 0;
        frame.IsEntry = false;
    }

    /// <summary>Has a Lua function take the place of the current call, which is one of Lua.</summary>
    internal void ReplaceCall(int place, int count)
    {
        Frame old = Frames[Depth];
        if (OpenUpvalues is not null) CloseUpvalues(old.Base);
        Stack.AsSpan(place, count + 1).CopyTo(Stack.AsSpan(old.Place));
        Depth--;
        PushCall((LuaClosure)Stack[old.Place].Ref!, old.Place, count, old.Wanted);
        ref Frame frame = ref Frames[Depth];
        frame.TailCalls = old.TailCalls + 1;
        frame.IsEntry = old.IsEntry;
    }

    /// <summary>Makes results as many as are wanted; -1: notes where they end.</summary>
    internal void TakeResults(int place, int count, int wanted)
    {
        if (wanted < 0) Top = place + count;
        else
            for (; count < wanted; count++) Stack[place + count] = default;
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

    /// <summary>Has a function handle an error, before the calls that failed are unwound: it sees their
    /// levels.</summary>
    /// <returns>What it makes of the error.</returns>
    internal LuaValue Handle(LuaValue handler, LuaValue error)
    {
        if (!handler.IsFunction) return LuaValue.FromString("error in error handling");
        int depth = Depth;
        bool isOutermost = !IsHandlingError;
        IsHandlingError = true;
        try
        {
            return Metamethods.Call(this, handler, error);
        }
        catch (LuaException)
        {
            return LuaValue.FromString("error in error handling");
        }
        finally
        {
            if (isOutermost) EndHandler(depth);
        }
    }

    // Gives the handler's room back.
    private void EndHandler(int depth)
    {
        IsHandlingError = false;
        Unwind(depth);
        Debug.Assert(Depth < FrameCountMax, "the handler's calls are over");
        if (Frames.Length > FrameCountMax) Array.Resize(ref Frames, FrameCountMax);
        if (Stack.Length > StackSizeMax) Array.Resize(ref Stack, StackSizeMax);
    }

    /// <summary>The upvalue for a place of the stack: closures that share the variable share it.</summary>
    internal Upvalue OpenUpvalueAt(int place)
    {
        Upvalue? above = null;
        Upvalue? upvalue = OpenUpvalues;
        while (upvalue is not null && upvalue.Place > place)
        {
            above = upvalue;
            upvalue = upvalue.Below;
        }

        if (upvalue is not null && upvalue.Place == place) return upvalue;
        Machine.Budget.Charge(Upvalue.Size);
        var added = new Upvalue { Thread = this, Place = place, Below = upvalue };
        if (above is null) OpenUpvalues = added;
        else above.Below = added;
        return added;
    }

    /// <summary>Closes the upvalues from a place of the stack on.</summary>
    internal void CloseUpvalues(int place)
    {
        while (OpenUpvalues is { } upvalue && upvalue.Place >= place)
        {
            upvalue.Closed = Stack[upvalue.Place];
            upvalue.Thread = null;
            OpenUpvalues = upvalue.Below;
            upvalue.Below = null;
        }
    }

    /// <summary>Ends the calls above a row, after an error.</summary>
    internal void Unwind(int depth)
    {
        Debug.Assert(depth <= Depth);
        Depth = depth;
        CloseUpvalues(Frames[depth].Top);
    }

    /// <summary>The row of a level of calls: 0 the current function, 1 its caller; -1: there is none, or a
    /// tail call took its place.</summary>
    internal int RowOf(int level)
    {
        int row = Depth;
        for (; level > 0 && row > 0; row--)
        {
            level--;
            if (Frames[row].Function is LuaClosure) level -= Frames[row].TailCalls;
        }

        return level == 0 && row > 0 ? row : -1;
    }

    /// <summary>Whether the function at a level of calls is lost, because a tail call took its
    /// place.</summary>
    internal bool IsTailCallAt(int level)
    {
        for (int row = Depth; level > 0 && row > 0; row--)
        {
            level--;
            if (Frames[row].Function is LuaClosure) level -= Frames[row].TailCalls;
        }

        return level < 0;
    }

    /// <summary>An error of a text with the position of the code at a level of calls.</summary>
    internal LuaException Error(string message, int level = 0) => new(Where(level) + message);

    /// <summary>"attempt to index local 'x' (a nil value)".</summary>
    internal LuaException TypeError(string operation, in LuaValue value, int register)
    {
        if (register >= 0 && Frames[Depth].Function is LuaClosure closure
            && VariableNames.Find(closure.Prototype, Frames[Depth].Next - 1, register) is { } name)
            return Error($"attempt to {operation} {name.Kind} '{name.Name}' (a {value.TypeName} value)");
        return Error($"attempt to {operation} a {value.TypeName} value");
    }

    /// <summary>The position "chunk:line: " of the code at a level; empty for a host function.</summary>
    internal string Where(int level)
    {
        int row = RowOf(level);
        if (row < 0 || Frames[row].Function is not LuaClosure closure) return "";
        Prototype prototype = closure.Prototype;
        string chunk = ChunkName.Shown(prototype.Chunk, ChunkName.SizeInErrors);
        return $"{chunk}:{prototype.Lines[Math.Max(Frames[row].Next - 1, 0)]}: ";
    }

    /// <summary>The name by which the current host function was called; null: unknown.</summary>
    internal string? CalledName(out bool isMethod) => CalledName(Depth, out isMethod);

    /// <summary>The name by which the function of a row was called; null: unknown.</summary>
    internal string? CalledName(int row, out bool isMethod)
    {
        isMethod = false;
        if (row == 0 || Frames[row - 1].Function is not LuaClosure closure) return null;
        int instruction = Frames[row - 1].Next - 1;
        Instruction call = closure.Prototype.Code[instruction];
        if (call.Op is not (Op.Call or Op.TailCall or Op.ForIn)) return null;
        (string Kind, string Name)? found = VariableNames.Find(closure.Prototype, instruction, call.A);
        isMethod = found?.Kind == "method";
        return found?.Name;
    }

    // The fixed arguments of a vararg function are moved behind all arguments; gives where.
    private int MoveFixedArguments(Prototype prototype, int first, int count)
    {
        int end = first + count;
        EnsureStack(end + prototype.RegisterCount + HostSlack);
        if (prototype.NeedsArgumentTable)
        {
            int surplus = Math.Max(count - prototype.ParameterCount, 0);
            var table = new LuaTable(Machine.Budget, surplus, 1);
            for (int index = 1; index <= surplus; index++)
                table.Set(index, Stack[first + prototype.ParameterCount + index - 1]);
            table.Set("n", surplus);
            Stack[end + prototype.ParameterCount] = LuaValue.From(table);
        }
        else
        {
            Stack[end + prototype.ParameterCount] = default;
        }

        for (int index = 0; index < prototype.ParameterCount; index++)
        {
            Stack[end + index] = index < count ? Stack[first + index] : default;
            if (index < count) Stack[first + index] = default;
        }

        return end;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowStack(int end)
    {
        int sizeMax = StackSizeMax + (IsHandlingError ? HandlerStackSize : 0);
        if (end > sizeMax) throw Error("stack overflow");
        int size = Math.Min(sizeMax, Math.Max(end, Stack.Length * 2));
        Machine.Budget.Charge(16L * size);
        Array.Resize(ref Stack, size);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowFrames()
    {
        int countMax = FrameCountMax + (IsHandlingError ? HandlerFrameCount : 0);
        if (Frames.Length >= countMax)
        {
            Depth--;
            throw Error("stack overflow");
        }

        int count = Math.Min(countMax, Frames.Length * 2);
        Depth--; // The charge may throw: whoever catches it looks at the rows that there are.
        Machine.Budget.Charge(48L * count);
        Array.Resize(ref Frames, count);
        Depth++;
    }
}
