using System.IO;
using Microsoft.Win32.SafeHandles;

namespace Cinnabar.Platform.Files;

/// <summary>A file of the machine.</summary>
internal sealed class SystemFile : StoredFile
{
    private const int FileTooLarge = 27;

    private readonly SafeFileHandle _handle;
    private readonly string _path;
    private long _length;

    internal SystemFile(string path, FileUse use)
    {
        _path = path;
        FileMode mode = use switch
        {
            FileUse.Read => FileMode.Open,
            FileUse.Create => FileMode.Create,
            _ => FileMode.OpenOrCreate,
        };
        FileAccess access = use == FileUse.Read ? FileAccess.Read : FileAccess.ReadWrite;
        _handle = File.OpenHandle(path, mode, access, FileShare.ReadWrite | FileShare.Delete);
        _length = RandomAccess.GetLength(_handle);
    }

    public override long Length => _length;

    public override int Read(long offset, Span<byte> bytes) => RandomAccess.Read(_handle, bytes, offset);

    public override void Write(ReadOnlySpan<byte> bytes)
    {
        try
        {
            RandomAccess.Write(_handle, bytes, _length);
            _length += bytes.Length;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            NotePart(bytes.Length);
            throw;
        }
        catch (ArgumentOutOfRangeException)
        {
            // So the library reports the system's limit of a file's size.
            NotePart(bytes.Length);
            throw new IOException("File too large", FileTooLarge);
        }
    }

    // A full disk takes a part.
    private void NotePart(int count) =>
        _length = Math.Min(RandomAccess.GetLength(_handle), _length + count);

    public override void SetLength(long length)
    {
        RandomAccess.SetLength(_handle, length);
        _length = length;
    }

    public override void Flush() => RandomAccess.FlushToDisk(_handle);

    // What fails here fails again in Flush, which says so.
    public override void BeginFlush()
    {
        if (!OperatingSystem.IsLinux())
            return;
        bool isKept = false;
        _handle.DangerousAddRef(ref isKept);
        try
        {
            _ = LibC.BeginWriting((int)_handle.DangerousGetHandle(), 0, 0, LibC.RangeWrite);
        }
        finally
        {
            _handle.DangerousRelease();
        }
    }

    public override long RoomBytes
    {
        get
        {
            try
            {
                // Elsewhere any path stands for the disk that it is on.
                string path = Path.GetFullPath(_path);
                string place = OperatingSystem.IsWindows() ? Path.GetPathRoot(path)! : path;
                return new DriveInfo(place).AvailableFreeSpace;
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // The file was removed, or its system does not say.
                return base.RoomBytes;
            }
        }
    }

    public override void Dispose() => _handle.Dispose();
}
