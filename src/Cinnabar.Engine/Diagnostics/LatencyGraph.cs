// LATENCY GRAPH: an event's spikes as columns, oldest first, 80 to a block; below each column, from top to
// bottom, how long ago it was. The lowest spike is an underscore in the last of four rows, the highest a # in
// the first.

using System.Linq;
using Cinnabar.Engine.Observing;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>Draws the spikes of an event.</summary>
internal static class LatencyGraph
{
    private const int ColumnCountMax = 80;
    private const int RowCount = 4;
    private const string Tops = "_o#";

    /// <summary>The drawing, with its heading.</summary>
    public static string Draw(LatencyReport report, long nowSeconds)
    {
        long highMs = report.Samples.Max(static sample => sample.LatencyMs);
        long lowMs = report.Samples.Min(static sample => sample.LatencyMs);
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture,
            $"{report.Name} - high {highMs} ms, low {lowMs} ms (all time high {report.LongestMs} ms)\n");
        text.Append('-', ColumnCountMax).Append('\n');
        for (int start = 0; start < report.Samples.Length; start += ColumnCountMax)
        {
            int count = Math.Min(ColumnCountMax, report.Samples.Length - start);
            DrawBlock(text, report.Samples.AsSpan(start, count), lowMs, highMs);
            DrawAges(text, report.Samples.AsSpan(start, count), nowSeconds);
        }

        return text.ToString();
    }

    private static void DrawBlock(
        StringBuilder text, ReadOnlySpan<LatencySample> samples, long lowMs, long highMs)
    {
        const int StepCount = RowCount * 3;
        long rangeMs = Math.Max(highMs - lowMs, 1);
        for (int row = RowCount - 1; row >= 0; row--)
        {
            foreach (LatencySample sample in samples)
            {
                long step = Math.Min((sample.LatencyMs - lowMs) * StepCount / rangeMs, StepCount - 1);
                long above = step - (row * Tops.Length);
                text.Append(above < 0 ? ' ' : above < Tops.Length ? Tops[(int)above] : '|');
            }

            text.Append('\n');
        }

        text.Append(' ', samples.Length).Append('\n');
    }

    private static void DrawAges(StringBuilder text, ReadOnlySpan<LatencySample> samples, long nowSeconds)
    {
        var ages = new string[samples.Length];
        for (int index = 0; index < ages.Length; index++)
            ages[index] = Age(nowSeconds - samples[index].UnixSeconds);
        int lineCount = ages.Max(static age => age.Length);
        for (int line = 0; line < lineCount; line++)
        {
            foreach (string age in ages)
                text.Append(line < age.Length ? age[line] : ' ');
            text.Append('\n');
        }
    }

    private static string Age(long seconds)
    {
        (long count, char unit) = seconds switch
        {
            < 60 => (Math.Max(seconds, 0), 's'),
            < 3600 => (seconds / 60, 'm'),
            < 86400 => (seconds / 3600, 'h'),
            _ => (seconds / 86400, 'd'),
        };
        return count.ToString(CultureInfo.InvariantCulture) + unit;
    }
}
