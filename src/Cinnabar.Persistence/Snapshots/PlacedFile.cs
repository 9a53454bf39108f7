// A file is written under a temporary name, flushed, and takes its own name at one moment; then the directory
// is flushed. So whatever happens in between, the name stands for a whole file: the one before or this one.

namespace Cinnabar.Persistence.Snapshots;

/// <summary>A file that takes its name when it is whole.</summary>
/// <param name="files">Where it is.</param>
/// <param name="place">Its names.</param>
public sealed class PlacedFile(FileSystem files, RdbFilePlace place) : ISnapshotTarget
{
    private readonly FileSystem _files = files;
    private readonly RdbFilePlace _place = place;
    private StoredFile? _file;
    private bool _isTemporary;

    /// <summary>Makes it, under its temporary name.</summary>
    /// <exception cref="FileStepException">It cannot be made.</exception>
    /// <exception cref="System.IO.IOException">It may not be written over.</exception>
    public StoredFile Create()
    {
        Debug.Assert(_file is null && !_isTemporary, "it has been made");
        if (_place.Refusal is { } refusal)
            throw new System.IO.IOException(refusal);
        Try(FileStep.Open, () => _file = _files.Open(_place.TemporaryPath, FileUse.Create));
        _isTemporary = true;
        return _file!;
    }

    /// <summary>Makes what was written durable, and gives the file its name.</summary>
    /// <exception cref="FileStepException">It fails.</exception>
    public void Commit()
    {
        Debug.Assert(_file is not null && _isTemporary, "there is no file");
        Try(FileStep.Flush, _file.Flush);
        Close();
        Try(FileStep.Rename, () => _files.Rename(_place.TemporaryPath, _place.Path));
        _isTemporary = false;
        Try(FileStep.FlushDirectory, () => _files.FlushDirectory(_place.Directory));
    }

    /// <summary>Removes what has no name yet.</summary>
    public void Discard()
    {
        Close();
        if (!_isTemporary)
            return;
        _isTemporary = false;
        try
        {
            _files.Delete(_place.TemporaryPath);
        }
        catch (Exception fault) when (fault is System.IO.IOException or UnauthorizedAccessException)
        {
            // It stays behind, under a name that nothing reads: the save has failed anyhow.
        }
    }

    private static void Try(FileStep step, Action action)
    {
        try
        {
            action();
        }
        catch (Exception fault) when (fault is System.IO.IOException or UnauthorizedAccessException)
        {
            throw new FileStepException(step, fault);
        }
    }

    private void Close()
    {
        _file?.Dispose();
        _file = null;
    }
}
