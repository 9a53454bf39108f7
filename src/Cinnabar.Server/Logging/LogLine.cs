using Cinnabar.Engine.Logging;

namespace Cinnabar.Server.Logging;

/// <summary>Formats one line of the log.</summary>
/// <param name="Format">The shape of the line.</param>
/// <param name="TimestampFormat">The shape of its time.</param>
/// <param name="ProcessId">The process that writes.</param>
/// <param name="Role">The role of the process.</param>
internal readonly record struct LogLine(
    LogFormat Format, LogTimestampFormat TimestampFormat, int ProcessId, LogRole Role)
{
    private const string LegacyTime = "dd MMM yyyy HH:mm:ss.fff";
    private const string IsoTime = "yyyy-MM-dd'T'HH:mm:ss.fffzzz";

    /// <summary>The line, without its end.</summary>
    internal string Build(DateTimeOffset localTime, LogLevel level, string message)
    {
        string time = TimestampFormat switch
        {
            LogTimestampFormat.Milliseconds => Number(localTime.ToUnixTimeMilliseconds()),
            LogTimestampFormat.Iso8601 => localTime.ToString(IsoTime, CultureInfo.InvariantCulture),
            _ => localTime.ToString(LegacyTime, CultureInfo.InvariantCulture),
        };
        return Format switch
        {
            LogFormat.Logfmt => BuildLogfmt(time, level, message),
            LogFormat.Json => BuildJson(time, level, message),
            _ => $"{ProcessId}:{RoleLetter} {time} {SignOf(level)} {message}",
        };
    }

    private string BuildLogfmt(string time, LogLevel level, string message) =>
        $"pid={ProcessId} role={RoleName} timestamp=\"{time}\" level={NameOf(level)} "
            + $"message=\"{Tame(message)}\"";

    private string BuildJson(string time, LogLevel level, string message) =>
        $"{{\"pid\":{ProcessId},\"role\":\"{RoleName}\",\"timestamp\":\"{time}\","
            + $"\"level\":\"{NameOf(level)}\",\"message\":\"{Escape(message)}\"}}";

    private char RoleLetter => Role switch
    {
        LogRole.Master => 'M',
        LogRole.Replica => 'S',
        _ => 'C',
    };

    private string RoleName => Role switch
    {
        LogRole.Master => "primary",
        LogRole.Replica => "replica",
        _ => "RDB/AOF",
    };

    private static string Number(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static char SignOf(LogLevel level) => level switch
    {
        LogLevel.Debug => '.',
        LogLevel.Verbose => '-',
        LogLevel.Notice => '*',
        _ => '#',
    };

    private static string NameOf(LogLevel level) => level switch
    {
        LogLevel.Debug => "debug",
        LogLevel.Verbose => "info",
        LogLevel.Notice => "notice",
        _ => "warning",
    };

    // Only what JSON demands, as Valkey does, so that texts can be searched for in a log. The encoders of
    // System.Text.Json escape more.
    private static string Escape(string message)
    {
        StringBuilder escaped = new(message.Length);
        foreach (char letter in message)
        {
            _ = letter switch
            {
                '"' or '\\' => escaped.Append('\\').Append(letter),
                '\b' => escaped.Append("\\b"),
                '\f' => escaped.Append("\\f"),
                '\n' => escaped.Append("\\n"),
                '\r' => escaped.Append("\\r"),
                '\t' => escaped.Append("\\t"),
                < ' ' => escaped.Append(CultureInfo.InvariantCulture, $"\\u{(int)letter:x4}"),
                _ => escaped.Append(letter),
            };
        }

        return escaped.ToString();
    }

    /// <summary>Replaces what would end the quotes or the line.</summary>
    private static string Tame(string message)
    {
        StringBuilder tame = new(message);
        return tame.Replace('"', '\'').Replace('\n', ' ').Replace('\r', ' ').ToString();
    }
}
