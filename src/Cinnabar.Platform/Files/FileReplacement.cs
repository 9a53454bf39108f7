using System.IO;

namespace Cinnabar.Platform.Files;

/// <summary>Replaces a file so that a crash leaves the old content or the new one.</summary>
public static class FileReplacement
{
    /// <summary>Writes a file beside the old one, flushes it to disk and renames it over the old one, whose
    /// mode it gets. A link stays: its target is replaced.</summary>
    /// <param name="path">The file; it need not exist.</param>
    /// <param name="content">All of its content.</param>
    /// <exception cref="IOException">It cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    public static void Write(string path, ReadOnlySpan<byte> content)
    {
        string target = File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? path;
        string temporary = $"{target}-{Environment.ProcessId}-{Guid.NewGuid():N}.tmp";
        try
        {
            FileStreamOptions options = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write };
            if (!OperatingSystem.IsWindows() && File.Exists(target))
                options.UnixCreateMode = File.GetUnixFileMode(target);
            using (FileStream file = new(temporary, options))
            {
                file.Write(content);
                file.Flush(flushToDisk: true);
            }

            File.Move(temporary, target, overwrite: true);
        }
        finally
        {
            File.Delete(temporary);
        }
    }
}
