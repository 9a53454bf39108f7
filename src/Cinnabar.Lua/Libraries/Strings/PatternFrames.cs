using System.Diagnostics.CodeAnalysis;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>The choices of a match, the last one on top. A few stand in the structure itself; a pattern of
/// many items needs an array, which is charged to the script.</summary>
internal ref struct PatternFrames
{
    private const int FewMax = 8;

    private readonly LuaCall _call;
    private Few _few;
    private PatternFrame[]? _many;
    private int _count;

    internal PatternFrames(LuaCall call) => _call = call;

    /// <summary>Whether no choice is left.</summary>
    internal readonly bool IsEmpty => _count == 0;

    /// <summary>The last choice.</summary>
    [UnscopedRef]
    internal ref PatternFrame Top
    {
        get
        {
            Debug.Assert(_count > 0, "There is a choice.");
            return ref _many is null ? ref _few[_count - 1] : ref _many[_count - 1];
        }
    }

    /// <summary>Forgets all choices.</summary>
    internal void Clear() => _count = 0;

    /// <summary>Forgets the last choice.</summary>
    internal void Pop()
    {
        Debug.Assert(_count > 0, "There is a choice.");
        _count--;
    }

    /// <summary>Notes a choice.</summary>
    internal void Push(int node, int low, int place)
    {
        if (_count == (_many?.Length ?? FewMax)) Grow();
        _count++;
        ref PatternFrame top = ref Top;
        top.Node = node;
        top.Low = low;
        top.Place = place;
    }

    private void Grow()
    {
        const int frameBytes = 12;
        _call.Charge(2L * _count * frameBytes);
        var larger = new PatternFrame[2 * _count];
        if (_many is null) ((ReadOnlySpan<PatternFrame>)_few).CopyTo(larger);
        else _many.CopyTo(larger, 0);
        _many = larger;
    }

    [InlineArray(FewMax)]
    private struct Few
    {
        private PatternFrame _first;
    }
}
