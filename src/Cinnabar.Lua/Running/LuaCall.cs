using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// A host function's view of its call: arguments, checks with the texts of 5.1, results, and calls back into
/// Lua. It holds for the time of the call. A span of results holds until the next call back.
/// </summary>
public readonly ref struct LuaCall
{
    private readonly int _base;

    internal LuaCall(LuaThread thread, int first, int count)
    {
        Thread = thread;
        _base = first;
        Count = count;
    }

    /// <summary>Number of arguments.</summary>
    public int Count { get; }

    /// <summary>The thread that calls.</summary>
    public LuaThread Thread { get; }

    /// <summary>The machine that it belongs to.</summary>
    public LuaMachine Machine => Thread.Machine;

    /// <summary>The arguments.</summary>
    public ReadOnlySpan<LuaValue> Arguments => Thread.Stack.AsSpan(_base, Count);

    /// <summary>The function that runs: a host function may keep things in its environment.</summary>
    public LuaFunction Function => Thread.Frames[Thread.Depth].Function!;

    /// <summary>The first place of the arguments on the thread's stack.</summary>
    internal int Base => _base;

    /// <summary>An argument, from 0; nil beyond the last.</summary>
    public LuaValue this[int index] => (uint)index < (uint)Count ? Thread.Stack[_base + index] : default;

    /// <summary>A number, or a string that converts to one.</summary>
    public double CheckNumber(int index)
    {
        LuaValue value = this[index];
        if (value.IsNumber) return value.Num;
        return value.TryToNumber(out double number) ? number : throw TypeError(index, "number");
    }

    /// <summary>A number cut to an integer of 64 bits, as C converts it.</summary>
    public long CheckInteger(int index) => ToInteger(CheckNumber(index));

    /// <summary>A number cut to an integer of 64 bits, of which the lower 32 are taken.</summary>
    public int CheckInt(int index) => (int)CheckInteger(index);

    /// <summary>A string, or a number's text.</summary>
    public LuaString CheckString(int index)
    {
        LuaValue value = this[index];
        if (value.Ref is LuaString text) return text;
        return value.TryToText(out text) ? text : throw TypeError(index, "string");
    }

    /// <summary>A table.</summary>
    public LuaTable CheckTable(int index) => this[index].Ref as LuaTable ?? throw TypeError(index, "table");

    /// <summary>A function.</summary>
    public LuaFunction CheckFunction(int index) =>
        this[index].Ref as LuaFunction ?? throw TypeError(index, "function");

    /// <summary>Any value, but one.</summary>
    public LuaValue CheckAny(int index) =>
        index < Count ? this[index] : throw ArgumentError(index, "value expected");

    /// <summary>A number, or a value in its place where there is none or nil.</summary>
    public double OptNumber(int index, double otherwise) =>
        this[index].IsNil ? otherwise : CheckNumber(index);

    /// <summary>An integer, or a value in its place where there is none or nil.</summary>
    public long OptInteger(int index, long otherwise) => this[index].IsNil ? otherwise : CheckInteger(index);

    /// <summary>An integer of 32 bits, or a value in its place where there is none or nil.</summary>
    public int OptInt(int index, int otherwise) => this[index].IsNil ? otherwise : CheckInt(index);

    /// <summary>A string, or a value in its place where there is none or nil.</summary>
    public LuaString OptString(int index, LuaString otherwise) =>
        this[index].IsNil ? otherwise : CheckString(index);

    /// <summary>"bad argument #1 to 'f' (…)".</summary>
    public LuaException ArgumentError(int index, string message)
    {
        string name = Thread.CalledName(out bool isMethod) ?? "?";
        int number = index + 1;
        if (isMethod && --number == 0) return Error($"calling '{name}' on bad self ({message})");
        return Error($"bad argument #{number} to '{name}' ({message})");
    }

    /// <summary>"bad argument #1 to 'f' (number expected, got nil)".</summary>
    public LuaException TypeError(int index, string expected) =>
        ArgumentError(index,
            $"{expected} expected, got {(index < Count ? this[index].TypeName : "no value")}");

    /// <summary>An error with the position of the code that called this function.</summary>
    public LuaException Error(string message) => Thread.Error(message, 1);

    /// <summary>An error with the position of the code at a level of calls: 1 what called this
    /// function.</summary>
    public LuaException Error(LuaString message, int level = 1)
    {
        byte[] where = Encoding.UTF8.GetBytes(Thread.Where(level));
        Charge(LuaString.Overhead + where.Length + message.Length);
        byte[] text = [.. where, .. message.Bytes];
        return new LuaException(LuaValue.FromString(LuaString.Adopt(text)));
    }

    /// <summary>No result.</summary>
    public int Return() => 0;

    /// <summary>One result.</summary>
    public int Return(LuaValue value)
    {
        Thread.Stack[_base - 1] = value;
        return 1;
    }

    /// <summary>Two results.</summary>
    public int Return(LuaValue first, LuaValue second)
    {
        Thread.Stack[_base - 1] = first;
        Thread.Stack[_base] = second;
        return 2;
    }

    /// <summary>Three results.</summary>
    public int Return(LuaValue first, LuaValue second, LuaValue third)
    {
        Thread.Stack[_base - 1] = first;
        Thread.Stack[_base] = second;
        Thread.Stack[_base + 1] = third;
        return 3;
    }

    /// <summary>Any number of results.</summary>
    public int Return(params ReadOnlySpan<LuaValue> values)
    {
        Thread.EnsureStack(_base + values.Length + LuaThread.HostSlack);
        values.CopyTo(Thread.Stack.AsSpan(_base - 1));
        return values.Length;
    }

    /// <summary>Room for a number of results, which the caller fills before it returns that number.</summary>
    /// <exception cref="LuaException">They are more than a stack may hold.</exception>
    public Span<LuaValue> Results(int count)
    {
        Thread.EnsureStack(_base + count + LuaThread.HostSlack);
        return Thread.Stack.AsSpan(_base - 1, count);
    }

    /// <summary>Calls a value.</summary>
    /// <returns>Its first result; nil if it has none.</returns>
    public LuaValue Invoke(LuaValue function, params ReadOnlySpan<LuaValue> arguments)
    {
        ReadOnlySpan<LuaValue> results = InvokeMany(function, arguments);
        return results.IsEmpty ? default : results[0];
    }

    /// <summary>Calls a value.</summary>
    /// <returns>Its results, which hold until the next call back.</returns>
    public ReadOnlySpan<LuaValue> InvokeMany(LuaValue function, params ReadOnlySpan<LuaValue> arguments)
    {
        LuaThread thread = Thread;
        int place = thread.Frames[thread.Depth].Top;
        thread.EnsureStack(place + 1 + arguments.Length + LuaThread.HostSlack);
        thread.Stack[place] = function;
        arguments.CopyTo(thread.Stack.AsSpan(place + 1));
        int count = thread.Call(place, arguments.Length);
        return thread.Stack.AsSpan(place, count);
    }

    /// <summary>a &lt; b, with metamethods.</summary>
    public bool LessThan(LuaValue left, LuaValue right) => Metamethods.IsLess(Thread, left, right);

    /// <summary>a == b, with metamethods.</summary>
    public bool AreEqual(LuaValue left, LuaValue right) => Metamethods.AreEqual(Thread, left, right);

    /// <summary>t[k], with metamethods.</summary>
    public LuaValue Index(LuaValue table, LuaValue key) => Metamethods.Index(Thread, table, key);

    /// <summary>t[k] = v, with metamethods.</summary>
    public void SetIndex(LuaValue table, LuaValue key, LuaValue value) =>
        Metamethods.SetIndex(Thread, table, key, value);

    /// <summary>The text of a value, as tostring gives it; a __tostring may give anything but a
    /// string.</summary>
    public LuaValue ToText(LuaValue value) => Metamethods.ToText(Thread, value);

    /// <summary>The field of a value's metatable; nil: it has none.</summary>
    public LuaValue Metafield(LuaValue value, LuaString name) =>
        Metamethods.TableOf(Machine, value) is { } metatable ? metatable.Get(name) : default;

    /// <summary>An empty table, charged.</summary>
    public LuaTable NewTable(int arraySize = 0, int hashSize = 0) => Machine.NewTable(arraySize, hashSize);

    /// <summary>A string, charged.</summary>
    public LuaValue NewString(ReadOnlySpan<byte> bytes) => Machine.NewString(bytes);

    /// <summary>Accounts for memory that the caller is about to allocate.</summary>
    /// <exception cref="LuaMemoryException">It would pass the limit.</exception>
    public void Charge(long bytes) => Machine.Budget.Charge(bytes);

    /// <summary>Counts work done in a loop, so that a script can be interrupted there.</summary>
    public void Step(int cost = 1) => Machine.Step(cost);

    /// <summary>A number cut to an integer, as C converts it on x86-64: what does not fit becomes the
    /// least.</summary>
    internal static long ToInteger(double number) =>
        number is >= -9223372036854775808.0 and < 9223372036854775808.0 ? (long)number : long.MinValue;
}
