using Cinnabar.Engine.Configuration.Registry;

namespace Cinnabar.Engine.Durability;

/// <summary>When the server saves by itself (<c>save</c>): after so many seconds if there were so many
/// changes.</summary>
internal sealed class SavePoints
{
    private readonly ConfigurationRegistry _configuration;
    private volatile (long Seconds, long Changes)[] _points = [];

    /// <summary>Follows the configuration.</summary>
    public SavePoints(ConfigurationRegistry configuration, Action changed)
    {
        _configuration = configuration;
        Follow();
        configuration.Subscribe("save", () =>
        {
            Follow();
            changed();
            return null;
        });
    }

    /// <summary>Whether there are any.</summary>
    public bool IsSet => _points.Length > 0;

    /// <summary>The point that is due.</summary>
    /// <param name="seconds">Seconds since the last save.</param>
    /// <param name="changes">Changes since then.</param>
    /// <param name="point">The point.</param>
    public bool TryFindDue(long seconds, long changes, out (long Seconds, long Changes) point)
    {
        foreach ((long Seconds, long Changes) one in _points)
        {
            point = one;
            if (changes >= one.Changes && seconds > one.Seconds)
                return true;
        }

        point = default;
        return false;
    }

    private void Follow()
    {
        string[] words = _configuration.TextOf("save").Split(' ', StringSplitOptions.RemoveEmptyEntries);
        var points = new (long, long)[words.Length / 2];
        for (int index = 0; index < points.Length; index++)
        {
            points[index] = (long.Parse(words[2 * index], CultureInfo.InvariantCulture),
                long.Parse(words[(2 * index) + 1], CultureInfo.InvariantCulture));
        }

        _points = points;
    }
}
