using Cinnabar.Engine.Configuration;

namespace Cinnabar.Engine.Sessions;

/// <summary>Decides when a session has too much unsent: <c>client-output-buffer-limit</c>.</summary>
internal sealed class OutputLimits
{
    private readonly Settings _settings;

    /// <summary>Makes the rule.</summary>
    public OutputLimits(Settings settings) => _settings = settings;

    /// <summary>Whether a session is over its class's hard limit, or over the soft one for too
    /// long.</summary>
    public bool IsExceeded(Session session, long unsentBytes, long nowMs)
    {
        OutputBufferLimit limit = (session.Flags & SessionFlags.Subscribed) != 0
            ? _settings.PubSubOutputLimit
            : _settings.NormalOutputLimit;
        if (limit.HardBytes > 0 && unsentBytes >= limit.HardBytes)
            return true;
        if (limit.SoftBytes == 0 || unsentBytes < limit.SoftBytes)
        {
            session.OutputLimitSinceMs = 0;
            return false;
        }

        if (session.OutputLimitSinceMs == 0)
            session.OutputLimitSinceMs = nowMs;
        return nowMs - session.OutputLimitSinceMs > limit.SoftSeconds * 1000L;
    }
}
