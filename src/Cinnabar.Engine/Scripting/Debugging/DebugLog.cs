using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>The lines that a debugging client gets: an array of simple strings each time the script
/// stops.</summary>
internal sealed class DebugLog(SessionExecution execution)
{
    private const int LengthMaxDefault = 256;
    private const int LengthMaxLeast = 60;

    private readonly SessionExecution _execution = execution;
    private readonly List<string> _lines = [];
    private bool _hasHinted;

    /// <summary>The most characters of a value or reply; 0: any number.</summary>
    public int LengthMax { get; private set; } = LengthMaxDefault;

    /// <summary>Sets that: a bound below the least one becomes that.</summary>
    public void SetLengthMax(int length)
    {
        _hasHinted = true;
        LengthMax = length == 0 ? 0 : Math.Max(length, LengthMaxLeast);
    }

    /// <summary>Adds a line.</summary>
    public void Add(string line) => _lines.Add(line);

    /// <summary>Adds a line that is cut at the bound.</summary>
    public void AddCut(string line)
    {
        if (LengthMax == 0 || line.Length <= LengthMax)
        {
            _lines.Add(line);
            return;
        }

        _lines.Add(line[..LengthMax] + " ...");
        if (_hasHinted)
            return;
        _hasHinted = true;
        _lines.Add("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.");
    }

    /// <summary>Sends the lines, from the lane's thread.</summary>
    public void Send()
    {
        byte[] bytes = Take();
        var loop = (Loop)_execution.Loop;
        var session = _execution.Session;
        loop.Run(() =>
        {
            loop.Runner.Output.Switch(session);
            if (!session.IsClosed)
                loop.Runner.Executions.Current.Reply.Raw(bytes);
        });
    }

    /// <summary>Writes the last lines before the script's reply.</summary>
    public void End()
    {
        _lines.Add("<endsession>");
        _execution.Reply.Raw(Take());
    }

    private byte[] Take()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"*{_lines.Count}\r\n");
        foreach (string line in _lines)
            text.Append('+').Append(line.Replace('\r', ' ').Replace('\n', ' ')).Append("\r\n");
        _lines.Clear();
        return Encoding.Latin1.GetBytes(text.ToString());
    }
}
