using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;

namespace Cinnabar.Server.Configuration;

/// <summary>
/// A configuration with which the server must not start. The message goes to standard error.
/// </summary>
internal sealed class FatalConfigurationException : Exception
{
    private FatalConfigurationException(string message, bool isLogLine)
        : base(message) => IsLogLine = isLogLine;

    /// <summary>Whether Redis says this as a line of its log instead.</summary>
    internal bool IsLogLine { get; }

    /// <summary>What would happen if the server started; null where the configuration is wrong.</summary>
    internal string? Refusal { get; private init; }

    /// <summary>A correct line that this server cannot obey.</summary>
    internal static FatalConfigurationException Refused(ConfigurationRefusal refusal) =>
        new(At(refusal.Origin, refusal.Reason).Message, isLogLine: false) { Refusal = refusal.Reason };

    /// <summary>A line that is wrong.</summary>
    internal static FatalConfigurationException At(ConfigurationOrigin origin, string reason) => new(
        $"\n*** FATAL CONFIG FILE ERROR (Redis {ServerVersion.Redis}) ***\n"
            + $"Reading the configuration file, at line {origin.Line}\n>>> '{origin.Text}'\n{reason}\n",
        isLogLine: false);

    /// <summary>A fault of the configuration as a whole.</summary>
    internal static FatalConfigurationException Whole(string reason) =>
        new($"\n*** FATAL CONFIG FILE ERROR (Redis {ServerVersion.Redis}) ***\n{reason}\n", isLogLine: false);

    /// <summary>A file that cannot be read.</summary>
    internal static FatalConfigurationException Unreadable(string path, string reason) =>
        new($"Fatal error, can't open config file '{path}': {reason}", isLogLine: true);
}
