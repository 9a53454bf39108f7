using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>When the server saves by the clock (<c>save-cron</c>): at the begin of each minute that it names.
/// The minute that the server starts in has begun, and so has that in which the directive is set.</summary>
internal sealed class SaveTimes
{
    private const long UsPerMinute = 60_000_000;
    private const long MsPerMinute = 60_000;

    private readonly Clock _clock;
    private volatile CronSchedule? _schedule;
    private long _minute;

    /// <summary>Follows the configuration.</summary>
    /// <param name="server">The server.</param>
    /// <param name="changed">Called when there is another schedule.</param>
    public SaveTimes(IDataServer server, Action changed)
    {
        _clock = server.Clock;
        _minute = Minute;
        server.Configuration.Follow("save-cron",
            () => _schedule = CronSchedule.Parse(server.Configuration.TextOf("save-cron")));
        server.Configuration.Subscribe("save-cron", () =>
        {
            changed();
            return null;
        });
    }

    /// <summary>Whether there are any.</summary>
    public bool IsSet => _schedule is not null;

    private long Minute => _clock.UnixMicroseconds / UsPerMinute;

    /// <summary>Whether a minute that is named has begun since the last call. One thread calls it, some times
    /// a second, also where nothing can be saved now.</summary>
    public bool TryTake()
    {
        long minute = Minute;
        if (minute == _minute)
            return false;
        _minute = minute;
        return _schedule is { } schedule && schedule.Matches(minute * MsPerMinute);
    }
}
