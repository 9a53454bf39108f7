using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>The tables within each other of an encoding or decoding, charged to the script: how deep they may
/// be is the script's choice, so the stack of the process cannot hold them.</summary>
internal ref struct JsonFrames
{
    private const int SizeMin = 8;
    private const int FrameBytes = 32;

    private readonly LuaCall _call;
    private JsonFrame[] _frames;

    internal JsonFrames(LuaCall call)
    {
        _call = call;
        _frames = [];
    }

    /// <summary>How many there are.</summary>
    internal int Depth { get; private set; }

    /// <summary>The innermost.</summary>
    internal readonly ref JsonFrame Top => ref _frames[Depth - 1];

    /// <summary>Values that a C function would have on its stack for them: one for an array, two for an
    /// object.</summary>
    internal int StackCount { get; private set; }

    /// <summary>Enters a table.</summary>
    internal void Push(LuaTable table, bool isArray, int length)
    {
        if (Depth == _frames.Length)
        {
            int size = Math.Max(SizeMin, 2 * Depth);
            _call.Charge((long)size * FrameBytes);
            Array.Resize(ref _frames, size);
        }
        _frames[Depth++] = new JsonFrame { Table = table, Index = isArray ? 1 : 0, Length = length };
        StackCount += isArray ? 1 : 2;
    }

    /// <summary>Leaves the innermost.</summary>
    internal void Pop()
    {
        Debug.Assert(Depth > 0, "A table was entered.");
        StackCount -= Top.Index > 0 ? 1 : 2;
        Depth--;
    }
}
