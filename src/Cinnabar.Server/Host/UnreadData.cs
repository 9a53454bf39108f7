using System.IO;
using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;

namespace Cinnabar.Server.Host;

/// <summary>
/// Data of another server in the directory where this one starts. Persistence is not built: the data are
/// neither read nor overwritten. Redis would start with them, so the log warns.
/// </summary>
internal static class UnreadData
{
    /// <summary>A line for the log for each file or directory with data.</summary>
    internal static IEnumerable<string> Find(ConfigurationRegistry registry)
    {
        string directory = ConfigurationText.ToPath(registry.TextOf("dir"));
        string snapshot = PathOf("dbfilename");
        if (File.Exists(snapshot))
        {
            yield return $"WARNING: {snapshot} is not read: snapshots are not built yet. Redis would load "
                + "it; this server starts without data. It leaves the file as it is.";
        }

        string appended = PathOf("appenddirname");
        if (HasFiles(appended))
        {
            yield return $"WARNING: {appended} is not read: the append only file is not built yet. This "
                + "server starts without data. It leaves the directory as it is.";
        }

        string PathOf(string name) =>
            Path.GetFullPath(ConfigurationText.ToPath(registry.TextOf(name)), directory);
    }

    private static bool HasFiles(string directory)
    {
        try
        {
            return Directory.Exists(directory) && Directory.EnumerateFileSystemEntries(directory).Any();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // It cannot be read; it may hold data.
            return true;
        }
    }
}
