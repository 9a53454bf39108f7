using Cinnabar.Engine.Executions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Administration;

/// <summary>TIME, LASTSAVE and LOLWUT.</summary>
internal static class AmenityCommands
{
    private const int WidthMax = 200;
    private const int HeightMax = 50;

    /// <summary>TIME: seconds and microseconds of Unix time.</summary>
    public static void Time(SessionExecution execution)
    {
        long us = execution.Engine.Clock.UnixMicroseconds;
        if (execution.IsInScript)
            us = execution.ScriptTimeUs ??= us;
        execution.Reply.ArrayHeader(2);
        execution.Reply.BulkInteger(us / 1_000_000);
        execution.Reply.BulkInteger(us % 1_000_000);
    }

    /// <summary>LOLWUT [VERSION version] [width] [height]: a picture, and the version.</summary>
    public static void Lolwut(SessionExecution execution)
    {
        int index = 1;
        if (execution.ArgumentCount >= 3 && execution.Is(1, "version"u8))
        {
            if (!execution.TryInteger(2, out _))
                return;
            index = 3;
        }

        int width = SizeOf(execution, index, 60, WidthMax);
        int height = SizeOf(execution, index + 1, 12, HeightMax);
        var picture = new StringBuilder();
        DrawCrystals(picture, ref execution.Random, width, height);
        picture.Append(CultureInfo.InvariantCulture, $"\nRedis ver. {ServerVersion.Redis}\n");
        execution.Reply.Verbatim("txt"u8, Encoding.UTF8.GetBytes(picture.ToString()));
    }

    private static int SizeOf(SessionExecution execution, int index, int fallback, int limit) =>
        index < execution.ArgumentCount && RedisNumber.TryParseInt64(execution.Argument(index), out long size)
            ? (int)Math.Clamp(size, 1, limit)
            : fallback;

    /// <summary>Crystals of cinnabar, which grow from the ground under a few stars.</summary>
    private static void DrawCrystals(StringBuilder picture, ref RandomSource random, int width, int height)
    {
        Span<int> tops = stackalloc int[WidthMax];
        for (int column = 0; column < width;)
        {
            int half = 1 + (int)random.NextBelow(4);
            int peak = 1 + (int)random.NextBelow((ulong)height);
            for (int step = -half; step <= half && column < width; step++, column++)
                tops[column] = Math.Max(1, peak - (Math.Abs(step) * 2));
        }

        for (int row = height; row > 0; row--)
        {
            for (int column = 0; column < width; column++)
            {
                bool isStar = random.NextBelow(40) == 0;
                picture.Append(tops[column] < row ? (isStar ? '·' : ' ')
                    : tops[column] == row ? '▲'
                    : random.NextBelow(3) == 0 ? '▓' : '█');
            }

            picture.Append('\n');
        }
    }
}
