using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;

namespace Cinnabar.Server.Host;

/// <summary>
/// Data that another server has left where this one starts. Persistence is not built: neither is it read, nor
/// does anything here write to it. Silence would be dangerous, for Redis would start with that data.
/// </summary>
internal static class UnreadData
{
    /// <summary>A line for the log for each file or directory with data, empty where there is none.</summary>
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
            // What is in there cannot be told; it may be data.
            return true;
        }
    }
}
