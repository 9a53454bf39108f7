using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>When the server saves by the clock (<c>save-cron</c>): at the begin of each minute that it names.
/// The minute that the server starts in has begun, and so has that in which the directive is set.
///
/// Where the clock jumps, as cron does: minutes of the last hour that it jumped over count, and those that
/// come a second time do not, unless it went back by more than an hour.</summary>
internal sealed class SaveTimes
{
    private const long UsPerMinute = 60_000_000;
    private const long MsPerMinute = 60_000;
    private const long JumpMax = 60;

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
        long last = Minute;
        if (last <= _minute && last >= _minute - JumpMax)
            return false;
        long first = last < _minute ? last : Math.Max(_minute + 1, last - JumpMax + 1);
        _minute = last;
        if (_schedule is not { } schedule)
            return false;
        for (long minute = first; minute <= last; minute++)
        {
            if (schedule.Matches(minute * MsPerMinute))
                return true;
        }

        return false;
    }
}
