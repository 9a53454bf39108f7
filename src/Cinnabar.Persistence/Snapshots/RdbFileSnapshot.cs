// The RDB file of a snapshot. It is written under a temporary name, flushed, and takes its own name at one
// moment; then the directory is flushed. So whatever happens in between, the name stands for a whole file:
// the one before or this one.

using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>Makes an RDB file of a snapshot.</summary>
/// <param name="files">Where it is.</param>
/// <param name="place">Its names.</param>
/// <param name="options">How it is written.</param>
/// <param name="notes">What the file says of itself (AUX), in order.</param>
public sealed class RdbFileSnapshot(FileSystem files, RdbFilePlace place, RdbFileOptions options,
    IReadOnlyList<KeyValuePair<string, string>> notes) : ISnapshotConsumer
{
    private readonly FileSystem _files = files;
    private readonly RdbFilePlace _place = place;
    private readonly RdbFileOptions _options = options;
    private readonly IReadOnlyList<KeyValuePair<string, string>> _notes = notes;
    private readonly Dictionary<int, SnapshotDatabase> _unannounced = [];
    private StoredFile? _file;
    private RdbFileWriter? _writer;
    private int _database = -1;
    private bool _isTemporary;

    /// <summary>Bytes of the file; for the end.</summary>
    public long Length { get; private set; }

    /// <summary>Whether the save failed because streams have idempotent producers, which the file's options
    /// do not say.</summary>
    public bool HasMetProducers { get; private set; }

    /// <summary>The libraries of functions, which the file has before its keys.</summary>
    public IReadOnlyList<byte[]> Functions { get; init; } = [];

    /// <inheritdoc/>
    public void Begin(KeyspaceSnapshot snapshot) => Begin(snapshot.Databases);

    /// <summary>Begins a file of these databases.</summary>
    /// <exception cref="System.IO.IOException">It may not be written over, or cannot be.</exception>
    public void Begin(ReadOnlySpan<SnapshotDatabase> databases)
    {
        if (_place.Refusal is { } refusal)
            throw new System.IO.IOException(refusal);
        foreach (SnapshotDatabase database in databases)
            _unannounced.Add(database.Number, database);
        _file = _files.Open(_place.TemporaryPath, FileUse.Create);
        _isTemporary = true;
        _writer = new RdbFileWriter(_file, in _options);
        foreach ((string name, string value) in _notes)
            _writer.WriteAux(name, value);
        if (_options.Compatibility < RdbCompatibility.Redis70)
            return;
        foreach (byte[] code in Functions)
            _writer.WriteFunction(code);
    }

    /// <inheritdoc/>
    public void Write(int database, EntryView entry)
    {
        RdbFileWriter writer = _writer!;
        if (database != _database)
            Select(database);
        try
        {
            writer.WriteEntry(entry);
        }
        catch (RdbInexpressibleException)
        {
            HasMetProducers = writer.HasMetProducers;
            throw;
        }
    }

    /// <inheritdoc/>
    public void End()
    {
        _writer!.Finish();
        Length = _writer.Length;
        _file!.Flush();
        Close();
        _files.Rename(_place.TemporaryPath, _place.Path);
        _isTemporary = false;
        _files.FlushDirectory(_place.Directory);
    }

    /// <inheritdoc/>
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

    private void Select(int database)
    {
        _database = database;
        _writer!.SelectDatabase(database);
        if (_unannounced.Remove(database, out SnapshotDatabase sizes))
            _writer.WriteSizes(sizes.KeyCount, sizes.VolatileCount);
    }

    private void Close()
    {
        _writer?.Dispose();
        _file?.Dispose();
        _writer = null;
        _file = null;
    }
}
