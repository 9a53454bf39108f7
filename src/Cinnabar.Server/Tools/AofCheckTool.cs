using System.IO;
using Cinnabar.Persistence.Journal.Checking;
using Cinnabar.Platform.Files;

namespace Cinnabar.Server.Tools;

/// <summary><c>--check-aof</c>, and the program when it is called <c>redis-check-aof</c>.</summary>
internal static class AofCheckTool
{
    private const int Failure = 1;

    /// <summary>Checks a manifest with its files, or a single file; returns the exit code.</summary>
    /// <param name="arguments">[--fix | --truncate-to-timestamp TIMESTAMP] FILE; the file may come
    /// first.</param>
    /// <param name="usage">How the tool was called.</param>
    /// <param name="output">Standard output.</param>
    internal static int Run(IReadOnlyList<string> arguments, string usage, TextWriter output)
    {
        string? path = null;
        bool isFixing = false;
        string? timestamp = null;
        bool isUnderstood = arguments.Count > 0;
        for (int index = 0; index < arguments.Count; index++)
        {
            // As in redis-check-aof a single argument is a file, whatever it is.
            bool isOption = arguments.Count > 1 && arguments[index].StartsWith('-');
            if (isOption && arguments[index] == "--fix")
                isFixing = true;
            else if (isOption && arguments[index] == "--truncate-to-timestamp" && index + 1 < arguments.Count)
                timestamp = arguments[++index];
            else if (!isOption && path is null)
                path = arguments[index];
            else
                isUnderstood = false;
        }

        if (!isUnderstood || path is null)
        {
            output.WriteLine(
                $"Usage: {usage} [--fix|--truncate-to-timestamp $timestamp] <file.manifest|file.aof>");
            return Failure;
        }

        // As in redis-check-aof zero, and nothing at all, cut nothing off.
        long seconds = 0;
        if (!string.IsNullOrEmpty(timestamp)
            && !long.TryParse(timestamp, CultureInfo.InvariantCulture, out seconds))
        {
            output.WriteLine("Invalid timestamp, aborting...");
            return Failure;
        }

        return new AofCheck(FileSystem.System, new AofCheckOptions
        {
            IsFixing = isFixing,
            TimestampSeconds = seconds,
            Output = output,
            ReadAnswer = Console.ReadLine,
            CheckSnapshot = (file, name) => SnapshotCheck.Run(file, name, output),
            Progress = static length => new ProgressBar(length),
        }).Run(path);
    }
}
