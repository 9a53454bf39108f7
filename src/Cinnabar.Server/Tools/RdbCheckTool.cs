using System.IO;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Server.Tools;

/// <summary><c>--check-rdb FILE</c>, and the program when it is called <c>redis-check-rdb</c>.</summary>
internal static class RdbCheckTool
{
    private const int Sound = 0;
    private const int Failure = 1;

    /// <summary>Checks a file; returns the exit code.</summary>
    /// <param name="arguments">The file.</param>
    /// <param name="usage">How the tool was called.</param>
    /// <param name="streams">Standard output and standard error.</param>
    internal static int Run(
        IReadOnlyList<string> arguments, string usage, (TextWriter Output, TextWriter Error) streams)
    {
        if (arguments.Count != 1)
        {
            streams.Error.WriteLine($"Usage: {usage} <rdb-file-name>");
            return Failure;
        }

        try
        {
            using StoredFile file = FileSystem.System.Open(arguments[0], FileUse.Read);
            return SnapshotCheck.Run(file, arguments[0], streams.Output) is null ? Failure : Sound;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            streams.Output.WriteLine($"[offset 0] Checking RDB file {arguments[0]}");
            streams.Error.WriteLine(
                $"Cannot open file {arguments[0]}: {SystemErrorText.Of(fault, arguments[0])}");
            return Failure;
        }
    }
}
