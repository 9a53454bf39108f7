// What passes between a client that debugs a script and the script, which runs on a thread of the slow lane:
// the loop brings the client's bytes (Feed) and its end (Close), the lane waits for them (Read).
//
//   SCRIPT DEBUG YES ─► Session.Debugging ─► EVAL ─► Begin ─► Feed, Read … ─► the script's end: it closes
//
// While the channel is active the session's input goes to it and not to the scanner.

namespace Cinnabar.Engine.Sessions;

/// <summary>The input of a debugging session.</summary>
/// <param name="isSync">Whether what the script changes stays.</param>
internal sealed class DebugChannel(bool isSync)
{
    // Redis's bound for a command of the debugger; more waiting bytes than that end the session.
    private const int WaitingBytesMax = 1 << 20;

    private readonly List<byte> _input = [];
    private readonly object _monitor = new();
    private volatile bool _isActive;
    private volatile bool _isClosed;
    private bool _isWoken;

    /// <summary>Whether what the script changes stays.</summary>
    public bool IsSync { get; } = isSync;

    /// <summary>Whether the session's input is the debugger's.</summary>
    public bool IsActive => _isActive;

    /// <summary>Whether the client has gone.</summary>
    public bool IsClosed => _isClosed;

    /// <summary>From now on the input is the debugger's.</summary>
    public void Begin() => _isActive = true;

    /// <summary>Takes bytes of the client; on its loop.</summary>
    public void Feed(ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(_isActive, "the bytes are a command's");
        lock (_monitor)
        {
            // What does not fit makes what is there a broken protocol: it is over the bound of a command.
            if (_input.Count <= WaitingBytesMax)
                _input.AddRange(bytes);
            Monitor.Pulse(_monitor);
        }
    }

    /// <summary>The client has gone; on its loop.</summary>
    public void Close()
    {
        lock (_monitor)
        {
            _isClosed = true;
            Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Ends a wait for input: the script has been killed; any thread.</summary>
    public void Wake()
    {
        lock (_monitor)
        {
            _isWoken = true;
            Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Waits for input, on the lane's thread.</summary>
    /// <param name="target">Gets all waiting bytes.</param>
    /// <returns>False: the client has gone, or the script was killed.</returns>
    public bool Read(List<byte> target)
    {
        lock (_monitor)
        {
            while (_input.Count == 0 && !_isClosed && !_isWoken)
                Monitor.Wait(_monitor);
            target.AddRange(_input);
            _input.Clear();
            return !_isClosed && !_isWoken;
        }
    }
}
