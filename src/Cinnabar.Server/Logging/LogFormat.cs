namespace Cinnabar.Server.Logging;

/// <summary>The values of <c>log-format</c>, in the order of its words.</summary>
internal enum LogFormat
{
    /// <summary>Redis's own lines.</summary>
    Legacy,

    /// <summary>key=value pairs.</summary>
    Logfmt,

    /// <summary>One JSON object a line.</summary>
    Json,
}
