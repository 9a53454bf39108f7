using System.IO;
using Cinnabar.Persistence.Journal.Checking;
using Cinnabar.Platform.Files;

namespace Cinnabar.Server.Tools;

/// <summary><c>--restore-until TIME FROM TO</c>: the data of a moment, out of an append-only file with
/// timestamps, in a new directory.</summary>
internal static class RestoreTool
{
    private const int Success = 0;
    private const int Failure = 1;

    /// <summary>Restores; returns the exit code.</summary>
    /// <param name="arguments">The moment, local time or Unix seconds; the directory of the data or of the
    /// append-only file; the new directory.</param>
    /// <param name="output">Standard output.</param>
    internal static int Run(IReadOnlyList<string> arguments, TextWriter output)
    {
        if (arguments.Count != 3)
        {
            output.WriteLine("Usage: cinnabar-server --restore-until \"2026-11-23 10:00:00\" FROM TO");
            return Failure;
        }

        if (SecondsOf(arguments[0]) is not { } seconds)
        {
            output.WriteLine($"Invalid time: {arguments[0]}. Give local time as in \"2026-11-23 10:00:00\", "
                + "time with a zone as in \"2026-11-23T10:00:00Z\", or Unix seconds.");
            return Failure;
        }

        return new AofRestore(FileSystem.System, output).Run(arguments[1], arguments[2], seconds)
            ? Success : Failure;
    }

    private static long? SecondsOf(string text)
    {
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds))
            return seconds;
        return DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeLocal,
            out DateTimeOffset time) ? time.ToUnixTimeSeconds() : null;
    }
}
