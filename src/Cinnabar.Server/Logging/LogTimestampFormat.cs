namespace Cinnabar.Server.Logging;

/// <summary>The values of <c>log-timestamp-format</c>, in the order of its words.</summary>
internal enum LogTimestampFormat
{
    /// <summary>21 Nov 2026 10:16:07.080, local time.</summary>
    Legacy,

    /// <summary>2026-11-21T10:16:07.080+00:00, local time.</summary>
    Iso8601,

    /// <summary>Milliseconds since 1970, UTC.</summary>
    Milliseconds,
}
