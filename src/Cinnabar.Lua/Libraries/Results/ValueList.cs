using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Results;

/// <summary>Results whose number is not known before. The array is charged to the script.</summary>
internal ref struct ValueList
{
    private const int SizeMin = 8;
    private const int ValueBytes = 16;

    private readonly LuaCall _call;
    private LuaValue[] _values;

    internal ValueList(LuaCall call)
    {
        _call = call;
        call.Charge(SizeMin * ValueBytes);
        _values = new LuaValue[SizeMin];
    }

    /// <summary>How many there are.</summary>
    internal int Count { get; private set; }

    /// <summary>The one that was added last.</summary>
    internal readonly LuaValue Last => _values[Count - 1];

    /// <summary>All of them.</summary>
    internal readonly ReadOnlySpan<LuaValue> Written => _values.AsSpan(0, Count);

    /// <summary>Adds one.</summary>
    internal void Add(LuaValue value)
    {
        if (Count == _values.Length)
        {
            _call.Charge(2L * Count * ValueBytes);
            Array.Resize(ref _values, 2 * Count);
        }
        _values[Count++] = value;
    }

    /// <summary>Replaces the one that was added first.</summary>
    internal readonly void SetFirst(LuaValue value)
    {
        Debug.Assert(Count > 0, "There is a value.");
        _values[0] = value;
    }

    /// <summary>Removes the one that was added last.</summary>
    internal void RemoveLast()
    {
        Debug.Assert(Count > 0, "There is a value.");
        Count--;
    }
}
