using System.IO;
using System.Linq;

namespace Cinnabar.Platform.Files;

/// <summary>The machine's file system.</summary>
internal sealed class SystemFileSystem : FileSystem
{
    public override StoredFile Open(string path, FileUse use) => new SystemFile(path, use);

    public override bool Exists(string path) => File.Exists(path);

    public override bool DirectoryExists(string path) => Directory.Exists(path);

    public override void CreateDirectory(string path)
    {
        if (OperatingSystem.IsWindows())
            Directory.CreateDirectory(path);
        else
            Directory.CreateDirectory(path, UnixFileMode.UserRead | UnixFileMode.UserWrite
                | UnixFileMode.UserExecute | UnixFileMode.GroupRead | UnixFileMode.GroupExecute
                | UnixFileMode.OtherRead | UnixFileMode.OtherExecute);
    }

    public override string[] FilesIn(string directory) =>
        [.. Directory.EnumerateFiles(directory).Select(static path => Path.GetFileName(path))];

    public override void Rename(string path, string newPath) => File.Move(path, newPath, overwrite: true);

    public override void Delete(string path) => File.Delete(path);

    public override void FlushDirectory(string directory)
    {
        // Windows keeps names by itself, and has no such call.
        if (!OperatingSystem.IsWindows())
            UnixDirectory.Flush(directory);
    }
}
