namespace Cinnabar.Engine.Configuration;

/// <summary>
/// When something happens by the clock, as cron has it: minute, hour, day of the month, month, day of the
/// week (0 and 7 are Sunday), each a star, a number, a range, or a list of these, perhaps with a step
/// (<c>*/15</c>). Where both days are given, either is enough. The time is UTC.
/// </summary>
public sealed class CronSchedule
{
    private const int FieldCount = 5;

    private readonly ulong[] _fields;
    private readonly bool _isAnyDay;

    private CronSchedule(ulong[] fields, bool isAnyDay) => (_fields, _isAnyDay) = (fields, isAnyDay);

    /// <summary>Reads a schedule.</summary>
    /// <returns>Null where it is none.</returns>
    public static CronSchedule? Parse(string text)
    {
        ReadOnlySpan<int> first = [0, 0, 1, 1, 0];
        ReadOnlySpan<int> last = [59, 23, 31, 12, 7];
        string[] words = text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        if (words.Length != FieldCount)
            return null;
        ulong[] fields = new ulong[FieldCount];
        for (int index = 0; index < FieldCount; index++)
        {
            foreach (string part in words[index].Split(','))
            {
                if (!TryParse(part, first[index], last[index], ref fields[index]))
                    return null;
            }
        }

        const int Sunday = 7;
        fields[4] |= fields[4] >> Sunday & 1;
        return new CronSchedule(fields, isAnyDay: words[2][0] == '*' || words[4][0] == '*');
    }

    /// <summary>Whether it comes in the minute of an instant, Unix milliseconds.</summary>
    public bool Matches(long unixMs)
    {
        DateTime time = DateTime.UnixEpoch.AddMilliseconds(unixMs);
        bool isDay = Has(2, time.Day);
        bool isWeekday = Has(4, (int)time.DayOfWeek);
        return Has(0, time.Minute) && Has(1, time.Hour) && Has(3, time.Month)
            && (_isAnyDay ? isDay && isWeekday : isDay || isWeekday);
    }

    private bool Has(int field, int value) => (_fields[field] >> value & 1) != 0;

    private static bool TryParse(string part, int first, int last, ref ulong bits)
    {
        int step = 1;
        string[] halves = part.Split('/');
        if (halves.Length > 2 || (halves.Length == 2 && (!TryNumber(halves[1], out step) || step == 0)))
            return false;
        (int from, int to) = (first, last);
        if (halves[0] != "*")
        {
            string[] ends = halves[0].Split('-');
            if (ends.Length > 2 || !TryNumber(ends[0], out from))
                return false;
            to = halves.Length == 2 ? last : from;
            if (ends.Length == 2 && !TryNumber(ends[1], out to))
                return false;
        }

        if (from < first || to > last || from > to)
            return false;
        for (int value = from; value <= to; value += step)
            bits |= 1UL << value;
        return true;
    }

    private static bool TryNumber(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
