using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Keeps the unsent output of a loop's sessions within its limits.</summary>
internal sealed class OutputLimitCheck(Loop loop, LoopExecutions executions, SessionClosing closing)
{
    /// <summary>A session with more unsent bytes is not read from until its peer has taken half.</summary>
    public const long InputStopBytes = 64 << 20;

    private readonly Loop _loop = loop;
    private readonly LoopExecutions _executions = executions;
    private readonly SessionClosing _closing = closing;
    private readonly OutputLimits _limits = loop.Server.OutputLimits;

    /// <summary>Closes a session whose peer leaves too much unsent, or stops reading from it.</summary>
    public void Check(Session session)
    {
        long unsent = (session.Unsent?.PeerBytes ?? 0) + (session.Feed?.WaitingBytes ?? 0);
        if (_limits.IsExceeded(session, unsent, _executions.NowMs))
        {
            _closing.CloseOverLimit(session, unsent);
        }
        else if (session.Unsent?.ByteCount > InputStopBytes && !session.IsReadingStopped)
        {
            session.IsReadingStopped = true;
            _loop.Transport.SetReading(session, false);
        }
    }

    /// <summary>Closes a session with more unsent output than allowed.</summary>
    /// <param name="session">The session.</param>
    /// <param name="writtenBytes">Bytes that were written for it and not yet sent.</param>
    /// <returns>Whether it was closed.</returns>
    public bool CloseIfOver(Session session, long writtenBytes)
    {
        long unsent = session.Unsent?.PeerBytes ?? 0;
        if (session.IsClosed || !_limits.IsTooMuch(session, writtenBytes, unsent))
            return false;
        _closing.CloseOverLimit(session, unsent + writtenBytes);
        return true;
    }
}
