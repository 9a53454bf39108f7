using System.IO;
using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>The directory with the files of the append-only file and their manifest.</summary>
/// <param name="files">The file system.</param>
/// <param name="dataDirectory">The directory of the server's data (<c>dir</c>).</param>
/// <param name="directoryName">The value of <c>appenddirname</c>.</param>
/// <param name="fileName">The value of <c>appendfilename</c>.</param>
public sealed class AofDirectory(
    FileSystem files, string dataDirectory, string directoryName, string fileName)
{
    private const string ManifestEnd = ".manifest";
    private const string TemporaryStart = "temp-";
    private const int ManifestBytesMax = 64 << 20;

    /// <summary>The file system.</summary>
    public FileSystem Files => files;

    /// <summary>The value of <c>appendfilename</c>, which the names of the files begin with.</summary>
    public string FileName => fileName;

    /// <summary>The value of <c>appenddirname</c>.</summary>
    public string Name => directoryName;

    /// <summary>The directory that it is in (<c>dir</c> when it was opened).</summary>
    public string DataDirectory => dataDirectory;

    /// <summary>The path of the directory.</summary>
    public string DirectoryPath { get; } = Path.Combine(dataDirectory, directoryName);

    /// <summary>The path of the manifest.</summary>
    public string ManifestPath => PathOf(fileName + ManifestEnd);

    /// <summary>The path of a file.</summary>
    public string PathOf(string name) => Path.Combine(DirectoryPath, name);

    /// <summary>The path of the single file of servers before Redis 7.</summary>
    public string OldPath { get; } = Path.Combine(dataDirectory, fileName);

    /// <summary>Makes the directory where it is not there. The one that it is in must be there: a server does
    /// not bring back data that were moved away.</summary>
    /// <exception cref="IOException">It cannot be made; the message says why, in Redis's words.</exception>
    public void Make()
    {
        if (files.DirectoryExists(DirectoryPath))
            return;
        string? text = files.Exists(DirectoryPath) ? "Not a directory"
            : files.DirectoryExists(dataDirectory) ? null : "No such file or directory";
        try
        {
            if (text is null)
                files.CreateDirectory(DirectoryPath);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            text = SystemErrorText.Of(fault, dataDirectory);
        }

        if (text is not null)
            throw new IOException($"Can't open or create append-only dir {Name}: {text}");
    }

    /// <summary>Makes an empty file.</summary>
    /// <exception cref="IOException">It cannot be made; the message says why, in Redis's words.</exception>
    public StoredFile Create(string name)
    {
        try
        {
            return files.Open(PathOf(name), FileUse.Create);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new IOException(
                $"Can't open the append-only file {name}: {SystemErrorText.Of(fault, PathOf(name))}", fault);
        }
    }

    /// <summary>Whether there is an append-only file, of this server or of an older one.</summary>
    public bool HasFiles =>
        files.Exists(OldPath) || (files.DirectoryExists(DirectoryPath) && files.Exists(ManifestPath));

    /// <summary>Reads the manifest.</summary>
    /// <returns>Null where there is none.</returns>
    /// <exception cref="AofManifestException">It cannot be read.</exception>
    /// <exception cref="IOException">The disk fails.</exception>
    public AofManifest? Load()
    {
        if (!files.DirectoryExists(DirectoryPath) || !files.Exists(ManifestPath))
            return null;
        using StoredFile file = files.Open(ManifestPath, FileUse.Read);
        if (file.Length > ManifestBytesMax)
            throw new AofManifestException("Read AOF manifest failed");
        byte[] bytes = new byte[file.Length];
        int count = 0;
        for (int read = -1; read != 0 && count < bytes.Length; count += read)
            read = file.Read(count, bytes.AsSpan(count));
        return AofManifest.Parse(bytes.AsSpan(0, count));
    }

    /// <summary>Replaces the manifest: after a power loss the old one is there, or the new one.</summary>
    /// <exception cref="IOException">It is not replaced.</exception>
    public void Store(AofManifest manifest)
    {
        files.CreateDirectory(DirectoryPath);
        Stage(manifest);
        Replace();
        files.FlushDirectory(DirectoryPath);
    }

    /// <summary>Writes a manifest that does not count yet: what is left to do needs no space.</summary>
    /// <exception cref="IOException">It fails.</exception>
    public void Stage(AofManifest manifest)
    {
        using StoredFile file = files.Open(StagedPath, FileUse.Create);
        file.Write(manifest.Format());
        file.Flush();
    }

    /// <summary>Replaces the manifest by the staged one, for all that a power loss does not undo until the
    /// directory is flushed.</summary>
    /// <exception cref="IOException">It is not replaced.</exception>
    public void Replace() => files.Rename(StagedPath, ManifestPath);

    private string StagedPath => PathOf(TemporaryStart + fileName + ManifestEnd);

    /// <summary>Whether the file of a server before Redis 7 is there, and is the data: there is no manifest,
    /// or one that an upgrade stored before the file was moved.</summary>
    public bool NeedsUpgrade(AofManifest? manifest) => files.Exists(OldPath) && (manifest is null
        || (manifest is { Base: { } only, Increments.Count: 0, History.Count: 0 } && only.Name == fileName
            && !files.Exists(PathOf(fileName))));

    /// <summary>Moves the file of a server before Redis 7 into the directory, as the base.</summary>
    /// <exception cref="IOException">It fails; the next start goes on with it.</exception>
    public AofManifest Upgrade()
    {
        files.CreateDirectory(DirectoryPath);
        AofManifest manifest = AofManifest.Of(fileName);
        Store(manifest);
        files.Rename(OldPath, PathOf(fileName));
        files.FlushDirectory(DirectoryPath);
        files.FlushDirectory(dataDirectory);
        return manifest;
    }

    /// <summary>The bytes of a file; −1: there is none.</summary>
    public long LengthOf(AofFile one)
    {
        if (!files.Exists(PathOf(one.Name)))
            return -1;
        using StoredFile file = files.Open(PathOf(one.Name), FileUse.Read);
        return file.Length;
    }
}
