using System.IO;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Persistence.Rdb.Checking;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>Says why data cannot be loaded.</summary>
internal static class LoadFailures
{
    /// <summary>Logs it in Redis's words.</summary>
    /// <param name="log">The log.</param>
    /// <param name="path">The data's name.</param>
    /// <param name="fault">What was thrown.</param>
    public static void Write(ILog log, string path, Exception fault)
    {
        switch (fault)
        {
            case RdbHeaderException:
                Warn(fault.Message);
                break;
            case RdbEndException end:
                Warn("Short read or OOM loading DB. Unrecoverable error, aborting now.");
                Warn($"Internal error in RDB reading offset {end.Offset} -> Unexpected EOF reading RDB file");
                break;
            case RdbFormatException format:
                Warn($"Internal error in RDB reading offset {format.Offset} -> {format.Message}");
                break;
            case AofLoadException:
                Warn(fault.Message);
                break;
            case AofManifestException manifest:
                foreach (string text in manifest.Report)
                    Warn(text);
                break;
            case IOException or UnauthorizedAccessException:
                string file = Path.GetFileName(path);
                Warn($"Fatal error: can't open the RDB file {file} for reading: {fault.Message}");
                break;
            default:
                Warn($"Internal fault while loading: {fault}");
                break;
        }

        void Warn(string text) => log.Write(LogLevel.Warning, text);
    }

    /// <summary>Logs that a server which starts ends. As Redis does, a damaged snapshot is checked once more:
    /// the report names the key.</summary>
    /// <param name="log">The log.</param>
    /// <param name="files">Where the data are.</param>
    /// <param name="path">Their name.</param>
    /// <param name="fault">What was thrown.</param>
    public static void WriteEnd(ILog log, FileSystem files, string path, Exception fault)
    {
        if (fault is AofLoadException or AofManifestException)
            return;
        bool isDamaged = fault is RdbFormatException and not RdbHeaderException;
        if (isDamaged)
        {
            foreach (string line in ReportOn(files, path))
                log.Write(LogLevel.Warning, line);
        }

        log.Write(LogLevel.Warning, isDamaged && fault is not RdbEndException
            ? "Terminating server after rdb file reading failure."
            : "Fatal error loading the DB, check server logs. Exiting.");
    }

    private static string[] ReportOn(FileSystem files, string path)
    {
        try
        {
            using StoredFile file = files.Open(path, FileUse.Read);
            using var report = new StringWriter(CultureInfo.InvariantCulture) { NewLine = "\n" };
            RdbFileCheck.Run(file, Path.GetFileName(path), report, advanced: null);
            return report.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return [$"It cannot be checked: {SystemErrorText.Of(fault, path)}"];
        }
    }
}
