using System.IO;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;

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
}
