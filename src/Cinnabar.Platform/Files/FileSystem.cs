namespace Cinnabar.Platform.Files;

/// <summary>
/// The files of a server's data: what persistence needs of a file system, so that the simulator can stand in
/// for it. Errors are <see cref="System.IO.IOException"/> and <see cref="UnauthorizedAccessException"/>;
/// <see cref="SystemErrorText"/> has their texts.
/// </summary>
public abstract class FileSystem
{
    /// <summary>The machine's own.</summary>
    public static FileSystem System { get; } = new SystemFileSystem();

    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="use">What for.</param>
    public abstract StoredFile Open(string path, FileUse use);

    /// <summary>Whether there is a file of this name.</summary>
    public abstract bool Exists(string path);

    /// <summary>Whether there is a directory of this name.</summary>
    public abstract bool DirectoryExists(string path);

    /// <summary>Makes a directory; one that is there stays.</summary>
    public abstract void CreateDirectory(string path);

    /// <summary>The names of the files in a directory, without its path.</summary>
    public abstract string[] FilesIn(string directory);

    /// <summary>Gives a file another name, in place of a file that has it: at one moment for all
    /// readers.</summary>
    public abstract void Rename(string path, string newPath);

    /// <summary>Removes a file; none there is no error.</summary>
    public abstract void Delete(string path);

    /// <summary>Makes names that were created, changed or removed in a directory survive a power
    /// loss.</summary>
    public abstract void FlushDirectory(string directory);
}
