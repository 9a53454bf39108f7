// Debugs one run of a script, on a thread of the slow lane. The machine reports each line before it runs
// (LineReached); where the script is to stop, the client gets the lines of the log and the thread waits for
// its commands (DebugCommands) until one lets the script go on.
//
//   stepping ─► the next line stops      running ─► a breakpoint, redis.breakpoint() or the time limit does
//
// A client that goes away lets the script run to its end, as Redis does; where all changes are taken back
// anyway, the script ends at once. A killed script ends whatever it waits for.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Scripts;
using Cinnabar.Engine.Sessions;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>The debugger of a script's run.</summary>
internal sealed class ScriptDebugger
{
    private const long NsPerMs = 1_000_000;

    private readonly ILoopServer _server;
    private readonly DebugChannel _channel;
    private readonly DebugRequests _requests;
    private Action? _interrupt;
    private DebugCommands? _commands;
    private bool _isStepping = true;
    private bool _isAskedToStop;
    private bool _isLate;
    private bool _hasClientGone;
    private long _resumedNs;

    /// <summary>Makes it.</summary>
    /// <param name="execution">The execution of the script, in the slow lane.</param>
    /// <param name="source">The script's text.</param>
    public ScriptDebugger(SessionExecution execution, ReadOnlySpan<byte> source)
    {
        _server = (ILoopServer)execution.Server;
        _channel = execution.Session.Debugging!;
        _requests = new DebugRequests(_channel);
        Log = new DebugLog(execution);
        Source = new DebugSource(source);
        _resumedNs = _server.Clock.MonotonicNanoseconds;
    }

    /// <summary>Whether what the script changes stays.</summary>
    public bool IsSync => _channel.IsSync;

    /// <summary>What the client gets to see.</summary>
    public DebugLog Log { get; }

    /// <summary>The script's text.</summary>
    public DebugSource Source { get; }

    /// <summary>The line that runs next, or now.</summary>
    public int Line { get; private set; } = 1;

    /// <summary>Begins to debug a machine's run.</summary>
    /// <param name="lua">The machine.</param>
    /// <param name="interrupt">Throws where the script has been killed.</param>
    public void Attach(LuaMachine lua, Action interrupt)
    {
        (_interrupt, _commands) = (interrupt, new DebugCommands(this, lua));
        lua.OnLine = LineReached;
    }

    /// <summary>Ends it.</summary>
    public void Detach(LuaMachine lua) => lua.OnLine = null;

    /// <summary>Ends its wait for the client: the script has been killed; any thread.</summary>
    public void Wake() => _channel.Wake();

    /// <summary>The hook of the machine between lines: the script may run for long in one line.</summary>
    public void CheckTime()
    {
        if (_hasClientGone && !IsSync)
            throw new DebugEndException("debugging client closed connection");
        long limitMs = _server.Settings.BusyReplyThresholdMs;
        _isLate |= !_isStepping && limitMs > 0
            && _server.Clock.MonotonicNanoseconds - _resumedNs >= limitMs * NsPerMs;
    }

    /// <summary>redis.breakpoint(): the next line stops.</summary>
    public void StopAtNextLine() => _isAskedToStop = true;

    /// <summary>Shows a call of a command.</summary>
    public void ShowCall(LuaCall call)
    {
        if (!_isStepping)
            return;
        var line = new StringBuilder("<redis>");
        for (int index = 0; index < call.Count; index++)
        {
            if (!call[index].TryToText(out LuaString word))
                return;
            line.Append(' ').Append(Encoding.Latin1.GetString(word.Bytes));
        }

        if (call.Count > 0)
            Log.Add(line.ToString());
    }

    /// <summary>Shows the reply to it; an empty one: it was refused with an error that is shown
    /// apart.</summary>
    public void ShowReply(ReadOnlySpan<byte> reply)
    {
        if (reply.IsEmpty || !_isStepping)
            return;
        if (reply[0] == '-')
            Log.Add("<error> " + Encoding.Latin1.GetString(reply.TrimEnd("\r\n"u8)));
        Log.AddCut("<reply> " + DebugReply.Of(reply));
    }

    /// <summary>Shows an error of a function of redis.*.</summary>
    public void ShowError(ReadOnlySpan<byte> text)
    {
        if (!_isStepping)
            return;
        string error = Encoding.Latin1.GetString(text);
        Log.Add("<error> " + (error.StartsWith("ERR ", StringComparison.Ordinal) ? error[4..] : "-" + error));
    }

    /// <summary>redis.error_reply(): shows its argument.</summary>
    public void ShowGivenError(ReadOnlySpan<byte> text)
    {
        if (_isStepping)
            Log.Add("<error> -" + Encoding.Latin1.GetString(text));
    }

    /// <summary>redis.debug(): shows values.</summary>
    public void ShowValues(LuaCall call)
    {
        var texts = new string[call.Count];
        for (int index = 0; index < texts.Length; index++)
            texts[index] = DebugText.Of(call[index]);
        Log.Add($"<debug> line {Line}: {string.Join(", ", texts)}");
    }

    /// <summary>Calls a function of the machine with all its commands shown and no line reported.</summary>
    public T WithCallsShown<T>(LuaMachine lua, bool isShown, Func<T> call)
    {
        (bool wasStepping, Action<LuaThread, int>? hook) = (_isStepping, lua.OnLine);
        (_isStepping, lua.OnLine) = (isShown || wasStepping, null);
        try
        {
            return call();
        }
        finally
        {
            (_isStepping, lua.OnLine) = (wasStepping, hook);
        }
    }

    private void LineReached(LuaThread thread, int line)
    {
        LuaString? chunk = thread.Machine.CurrentChunk(0);
        if (chunk is null || chunk.ToString() != Script.ChunkName)
            return;
        Line = line;
        bool isBreakpoint = Source.HasBreakpoint(line);
        if (!_isStepping && !isBreakpoint && !_isAskedToStop && !_isLate)
            return;
        string reason = _isAskedToStop ? "redis.breakpoint() called"
            : isBreakpoint ? "break point"
            : _isStepping ? "step over" : "timeout reached, infinite loop?";
        bool wasLate = _isLate && !_isStepping && !isBreakpoint && !_isAskedToStop;
        (_isStepping, _isAskedToStop, _isLate) = (false, false, false);
        if (_hasClientGone)
        {
            if (wasLate)
                throw new DebugEndException("timeout during Lua debugging with client closing connection");
            return;
        }

        Log.Add($"* Stopped at {line}, stop reason = {reason}");
        Log.Add(Source.Show(line, line));
        Log.Send();
        TakeCommands();
        _resumedNs = _server.Clock.MonotonicNanoseconds;
    }

    // Until one lets the script go on.
    private void TakeCommands()
    {
        while (true)
        {
            switch (_requests.Next(out string[] words))
            {
                case DebugRequestOutcome.Broken:
                    throw new DebugEndException("protocol error");
                case DebugRequestOutcome.Over:
                    LoseClient();
                    return;
                default:
                    DebugCommandOutcome outcome = _commands!.Run(words);
                    if (outcome == DebugCommandOutcome.Abort)
                        throw new DebugEndException("script aborted for user request");
                    _isStepping = outcome == DebugCommandOutcome.Step;
                    if (outcome != DebugCommandOutcome.Stay)
                        return;
                    Log.Send();
                    break;
            }
        }
    }

    // Unless it was the script that was killed.
    private void LoseClient()
    {
        _interrupt!();
        _hasClientGone = true;
        _isStepping = false;
        Source.RemoveAll();
        if (!IsSync)
            throw new DebugEndException("debugging client closed connection");
    }
}
