using System.Collections.Generic;

namespace Cinnabar.Lua.Compiling;

/// <summary>The line of each instruction: two bytes each, four in a source of more than 65,535
/// lines.</summary>
internal readonly struct LineNumbers
{
    private readonly ushort[]? _short;
    private readonly int[]? _long;

    /// <summary>The lines of a function's instructions, in order.</summary>
    public LineNumbers(List<int> lines)
    {
        if (lines.Exists(static line => line > ushort.MaxValue)) _long = [.. lines];
        else _short = [.. lines.ConvertAll(static line => (ushort)line)];
    }

    /// <summary>The line of an instruction.</summary>
    public int this[int instruction] => _short is { } lines ? lines[instruction] : _long![instruction];
}
