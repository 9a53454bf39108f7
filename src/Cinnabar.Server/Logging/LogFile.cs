using System.IO;

namespace Cinnabar.Server.Logging;

/// <summary>The file that the log goes to.</summary>
internal static class LogFile
{
    /// <summary>
    /// Opens the file to append one line. It is opened for every line, as Redis does, so that a file that was
    /// moved away or truncated is never written to again; nobody logs so much that the time for it matters.
    /// </summary>
    internal static FileStream Open(string path) => new(path, new FileStreamOptions
    {
        Mode = FileMode.Append,
        Access = FileAccess.Write,
        Share = FileShare.ReadWrite | FileShare.Delete,
        BufferSize = 0,
    });
}
