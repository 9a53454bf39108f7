namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>The text of a debugged script, line by line, with its breakpoints.</summary>
internal sealed class DebugSource(ReadOnlySpan<byte> source)
{
    private const int BreakpointCountMax = 64;

    private readonly string[] _lines = Split(source);
    private readonly List<int> _breakpoints = [];

    /// <summary>Number of lines.</summary>
    public int LineCount => _lines.Length;

    /// <summary>The lines with a breakpoint, in the order in which they were set.</summary>
    public IReadOnlyList<int> Breakpoints => _breakpoints;

    /// <summary>Whether no more breakpoints may be set.</summary>
    public bool IsFull => _breakpoints.Count == BreakpointCountMax;

    /// <summary>Whether a line has a breakpoint.</summary>
    public bool HasBreakpoint(int line) => _breakpoints.Contains(line);

    /// <summary>Sets a breakpoint.</summary>
    /// <returns>False: there is no such line, or it has one.</returns>
    public bool TryAdd(long line)
    {
        Debug.Assert(!IsFull, "there is no room for it");
        if (line < 1 || line > _lines.Length || _breakpoints.Contains((int)line))
            return false;
        _breakpoints.Add((int)line);
        return true;
    }

    /// <summary>Removes a breakpoint.</summary>
    /// <returns>False: there is none in that line.</returns>
    public bool TryRemove(long line) => line <= int.MaxValue && _breakpoints.Remove((int)line);

    /// <summary>Removes all breakpoints.</summary>
    public void RemoveAll() => _breakpoints.Clear();

    /// <summary>A line as it is shown.</summary>
    /// <param name="line">Its number.</param>
    /// <param name="current">The number of the line that runs next.</param>
    public string Show(int line, int current)
    {
        string text = line >= 1 && line <= _lines.Length
            ? _lines[line - 1] : "<out of range source code line>";
        string start = line == current ? "->" : "  ";
        return $"{start}{(HasBreakpoint(line) ? '#' : ' ')}{line,-3} {text}";
    }

    private static string[] Split(ReadOnlySpan<byte> source)
    {
        string text = Encoding.Latin1.GetString(source).TrimEnd('\n', '\r');
        return text.Length == 0 ? [] : text.Split('\n');
    }
}
