using Cinnabar.Engine.Configuration;

namespace Cinnabar.Engine.Sessions;

/// <summary>
/// Decides when a session has too much unsent: <c>client-output-buffer-limit</c>, and much less for clients
/// that have not authenticated. What is written at once counts before it is sent, unless it is little:
/// whether the peer's system takes it at once is luck.
/// </summary>
internal sealed class OutputLimits(Settings settings)
{
    // As much as Redis writes before it begins the reply list that it counts.
    private const long UncountedBytes = 16 * 1024;

    private const long UnauthenticatedBytesMax = 1024;

    private readonly Settings _settings = settings;

    /// <summary>Whether a session is over its class's hard limit, or over the soft one for too
    /// long.</summary>
    public bool IsExceeded(Session session, long unsentBytes, long nowMs)
    {
        if (unsentBytes > HardBytesMax(session))
            return true;
        OutputBufferLimit limit = LimitOf(session);
        if (limit.SoftBytes == 0 || unsentBytes < limit.SoftBytes)
        {
            session.OutputLimitSinceMs = 0;
            return false;
        }

        if (session.OutputLimitSinceMs == 0)
            session.OutputLimitSinceMs = nowMs;
        return nowMs - session.OutputLimitSinceMs > limit.SoftSeconds * 1000L;
    }

    /// <summary>Whether more was written for a session than may wait for its peer.</summary>
    public bool IsTooMuch(Session session, long writtenBytes, long unsentBytes) =>
        writtenBytes > UncountedBytes && unsentBytes + writtenBytes > HardBytesMax(session);

    /// <summary>The most bytes that may wait for a session's peer.</summary>
    public long HardBytesMax(Session session)
    {
        if ((session.Flags & SessionFlags.Unauthenticated) != 0 && _settings.IsPasswordRequired)
            return UnauthenticatedBytesMax;
        long hardBytes = LimitOf(session).HardBytes;
        return hardBytes == 0 ? long.MaxValue : hardBytes - 1;
    }

    // A replica may always be as far behind as the backlog is long: it would be served again from there.
    private OutputBufferLimit LimitOf(Session session)
    {
        if ((session.Flags & SessionFlags.Replica) == 0)
        {
            return (session.Flags & SessionFlags.Subscribed) != 0
                ? _settings.PubSubOutputLimit : _settings.NormalOutputLimit;
        }

        OutputBufferLimit limit = _settings.ReplicaOutputLimit;
        return limit.HardBytes == 0 ? limit
            : limit with { HardBytes = Math.Max(limit.HardBytes, _settings.BacklogBytes) };
    }
}
