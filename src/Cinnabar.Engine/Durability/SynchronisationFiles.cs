using System.IO;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Durability;

/// <summary>Removes RDB files that only a synchronisation needed (<c>rdb-del-sync-files</c>).</summary>
/// <param name="server">The server.</param>
/// <param name="data">Its files.</param>
internal sealed class SynchronisationFiles(IDataServer server, DataFiles data)
{
    private readonly IDataServer _server = server;
    private readonly DataFiles _data = data;

    // A server that saves its data by itself keeps the file: it is loaded when the server starts again.
    private bool IsKept => _server.Configuration.NumberOf("rdb-del-sync-files") == 0
        || _data.Saves.IsAutomatic || _data.AppendOnly.IsWanted;

    /// <summary>Removes a file, unless the server is configured to keep it.</summary>
    /// <param name="path">Its path; it may be gone.</param>
    /// <param name="message">Why, for the log.</param>
    public void Remove(string path, string message)
    {
        if (IsKept)
            return;
        _server.Log.Write(LogLevel.Notice, message);
        try
        {
            _data.Files.Delete(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _server.Log.Write(LogLevel.Warning, $"The file {path} stays: {fault.Message}");
        }
    }
}
