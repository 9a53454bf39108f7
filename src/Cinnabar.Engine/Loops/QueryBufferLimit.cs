// The limit of a client's unexecuted input: client-query-buffer-limit. What counts:
//
//   the session's input that waits      a half command, or what follows a suspended one
//   the array of its arguments          24 bytes each, with the room that it has for more, once there are
//                                       more than 16
//   the big argument being received     its bytes so far; once complete it no longer counts, as in Redis
//   the commands between MULTI and EXEC their arguments
//
// Redis no longer counts the small arguments of a half command once it has read them. Here they stay in the
// session's input until the command is complete, and count, which bounds the memory of a session that sends
// an endless command. The input is one buffer, so it may never exceed InputBytesMax, whatever the limit.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Statistics;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Loops;

/// <summary>Closes sessions that have sent too much that is not executed yet.</summary>
internal sealed unsafe class QueryBufferLimit(
    ILoopServer server, LoopStatistics statistics, SessionClosing closing)
{
    private const int InputBytesMax = int.MaxValue - (1 << 20);
    private const long UnauthenticatedBytesMax = 1 << 20;
    private const int ShownBytesMax = 64;
    private const int SmallArgumentCount = 16;

    private readonly Settings _settings = server.Settings;
    private readonly Clock _clock = server.Clock;
    private readonly ILog _log = server.Log;
    private readonly LoopStatistics _statistics = statistics;
    private readonly SessionClosing _closing = closing;

    /// <summary>Closes a session that has just sent too much. On its loop.</summary>
    /// <param name="session">The session.</param>
    /// <param name="receivedCount">Bytes it has just sent; part of its waiting input if it has one.</param>
    public void Enforce(Session session, int receivedCount)
    {
        if (!IsExceeded(session, receivedCount))
            return;
        Report(session);
        _statistics.QueryBufferCloseCount++;
        _closing.Close(session);
    }

    private bool IsExceeded(Session session, int receivedCount)
    {
        PartialInput? partial = session.Partial;
        long input = partial is null ? receivedCount
            : partial.Length + (long)partial.BigBytesReceived + ArrayBytes(partial);
        long queued = session.Transaction?.ArgumentBytes ?? 0;
        bool isUnauthenticated =
            (session.Flags & SessionFlags.Unauthenticated) != 0 && _settings.IsPasswordRequired;
        long limit = _settings.QueryBufferLimit;
        if (isUnauthenticated)
            limit = Math.Min(limit, UnauthenticatedBytesMax);
        return input + queued > limit || partial?.Length > InputBytesMax;
    }

    private void Report(Session session)
    {
        var text = new StringBuilder("Closing client that reached max query buffer length: ");
        text.Append(ClientDescription.ForLog(session, _clock, _settings));
        text.Append(" (qbuf initial bytes: ");
        if (_settings.IsUserDataHidden)
            text.Append(ClientDescription.Redacted);
        else
            QuotedText.Append(text, FirstBytes(session.Partial));
        text.Append(')');
        _log.Write(LogLevel.Warning, text.ToString());
    }

    // A value just below the limit passes, whatever memory the few arguments beside it take.
    private static long ArrayBytes(PartialInput partial) =>
        partial.Arguments.Count > SmallArgumentCount ? partial.Arguments.MemoryUsage : 0;

    // SAFETY: the caller uses the bytes before the session's input moves or is freed.
    private static ReadOnlySpan<byte> FirstBytes(PartialInput? partial)
    {
        if (partial is null)
            return default;
        int bigCount = partial.BigBytesReceived;
        return bigCount > 0
            ? new ReadOnlySpan<byte>(partial.BigNext - bigCount, Math.Min(bigCount, ShownBytesMax))
            : new ReadOnlySpan<byte>(partial.Data, Math.Min(partial.Length, ShownBytesMax));
    }
}
