using System.IO;

namespace Cinnabar.Server.Logging;

/// <summary>The file that the log goes to.</summary>
internal static class LogFile
{
    /// <summary>
    /// Opens the file to append one line. Like Redis, the server opens it for every line, so that it never
    /// writes to a file that was moved away; log lines are rare enough.
    /// </summary>
    internal static FileStream Open(string path) => new(path, new FileStreamOptions
    {
        Mode = FileMode.Append,
        Access = FileAccess.Write,
        Share = FileShare.ReadWrite | FileShare.Delete,
        BufferSize = 0,
    });
}
