using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Durability;

/// <summary>Makes automatic rewrites rarer while they fail, as Redis does: from the third failure on, one
/// that is due waits a minute, then two, up to an hour. On the first loop.</summary>
/// <param name="server">The server.</param>
internal sealed class RewriteLimit(IDataServer server)
{
    private const int FreeFailureCount = 3;
    private const int MinutesMax = 60;
    private const long UsPerMinute = 60_000_000;

    private readonly IDataServer _server = server;
    private int _minutes;
    private long _untilUs;

    /// <summary>Whether a rewrite that is due must wait.</summary>
    /// <param name="failureCount">Rewrites that have failed since the last that succeeded.</param>
    public bool Holds(long failureCount)
    {
        if (failureCount < FreeFailureCount)
        {
            (_minutes, _untilUs) = (0, 0);
            return false;
        }

        long nowUs = _server.Clock.UnixMicroseconds;
        if (_untilUs == 0)
        {
            _minutes = Math.Clamp(2 * _minutes, 1, MinutesMax);
            _untilUs = nowUs + (_minutes * UsPerMinute);
            _server.Log.Write(LogLevel.Warning, "Background AOF rewrite has repeatedly failed and triggered "
                + $"the limit, will retry in {_minutes} minutes");
        }

        if (nowUs < _untilUs)
            return true;
        _untilUs = 0;
        return false;
    }
}
