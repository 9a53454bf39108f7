// dbfilename may hold {timestamp}: then every save makes a file of its own, and the newest by name is loaded.
// The time is UTC and of fixed width, so that names sort as times do.

namespace Cinnabar.Engine.Durability;

/// <summary>The names of RDB files, from the pattern that <c>dbfilename</c> is.</summary>
internal static class RdbFileName
{
    private const string Mark = "{timestamp}";
    private const string TimeFormat = "yyyyMMdd'T'HHmmssfff'Z'";
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(1);

    /// <summary>Whether each file has a name of its own.</summary>
    public static bool IsPattern(string pattern) => pattern.Contains(Mark, StringComparison.Ordinal);

    /// <summary>The name of a file that is begun at an instant, Unix microseconds.</summary>
    public static string At(string pattern, long unixUs)
    {
        DateTime time = DateTime.UnixEpoch.AddMicroseconds(unixUs);
        return pattern.Replace(
            Mark, time.ToString(TimeFormat, CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    /// <summary>The name of a file that is begun at an instant, Unix microseconds, and is loaded before those
    /// that are there: behind a clock that was set back its time is a little later than theirs.</summary>
    public static string Next(string pattern, long unixUs, IEnumerable<string> names)
    {
        string name = At(pattern, unixUs);
        if (Matching(pattern, names) is not [.., string newest] || string.CompareOrdinal(newest, name) < 0)
            return name;
        int place = pattern.IndexOf(Mark, StringComparison.Ordinal);
        var time = DateTime.ParseExact(newest.AsSpan(place, newest.Length - pattern.Length + Mark.Length),
            TimeFormat, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal
            | DateTimeStyles.AdjustToUniversal);
        return time > DateTime.MaxValue - s_step ? name
            : At(pattern, (time + s_step - DateTime.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond);
    }

    /// <summary>Those of a directory's names that the pattern makes, the oldest first.</summary>
    public static List<string> Matching(string pattern, IEnumerable<string> names)
    {
        List<string> matching = [];
        int place = pattern.IndexOf(Mark, StringComparison.Ordinal);
        foreach (string name in names)
        {
            if (place < 0 ? name == pattern : Matches(pattern, place, name))
                matching.Add(name);
        }

        matching.Sort(StringComparer.Ordinal);
        return matching;
    }

    private static bool Matches(string pattern, int place, string name)
    {
        ReadOnlySpan<char> end = pattern.AsSpan(place + Mark.Length);
        int length = name.Length - place - end.Length;
        return length > 0 && name.AsSpan().StartsWith(pattern.AsSpan(0, place)) && name.AsSpan().EndsWith(end)
            && DateTime.TryParseExact(name.AsSpan(place, length), TimeFormat, CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal, out _);
    }
}
