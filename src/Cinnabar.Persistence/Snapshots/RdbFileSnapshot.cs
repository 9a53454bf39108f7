using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>Makes an RDB file of a snapshot.</summary>
/// <param name="target">Where it goes.</param>
/// <param name="options">How it is written.</param>
/// <param name="notes">What the file says of itself (AUX), in order.</param>
public sealed class RdbFileSnapshot(ISnapshotTarget target, RdbFileOptions options,
    IReadOnlyList<KeyValuePair<string, string>> notes) : ISnapshotConsumer
{
    private readonly ISnapshotTarget _target = target;
    private readonly RdbFileOptions _options = options;
    private readonly IReadOnlyList<KeyValuePair<string, string>> _notes = notes;
    private readonly Dictionary<int, SnapshotDatabase> _unannounced = [];
    private RdbFileWriter? _writer;
    private int _database = -1;

    /// <summary>Bytes of the file; for the end.</summary>
    public long Length { get; private set; }

    /// <summary>The libraries of functions, which the file has before its keys.</summary>
    public IReadOnlyList<StoredLibrary> Functions { get; init; } = [];

    /// <inheritdoc/>
    /// <exception cref="System.IO.IOException">It may not be written over, or cannot be.</exception>
    /// <exception cref="RdbInexpressibleException">The level has no functions; there are some.</exception>
    public void Begin(ReadOnlySpan<SnapshotDatabase> databases)
    {
        foreach (SnapshotDatabase database in databases)
            _unannounced.Add(database.Number, database);
        _writer = new RdbFileWriter(_target.Create(), in _options);
        foreach ((string name, string value) in _notes)
            _writer.WriteAux(name, value);
        StoredLibrary.Check(Functions, _options.Compatibility);
        foreach (StoredLibrary library in Functions)
            _writer.WriteFunction(library.Code);
    }

    /// <inheritdoc/>
    public void Write(int database, EntryView entry)
    {
        if (database != _database)
            Select(database);
        _writer!.WriteEntry(entry);
    }

    /// <inheritdoc/>
    public void End()
    {
        _writer!.Finish();
        Length = _writer.Length;
        Close();
        _target.Commit();
    }

    /// <inheritdoc/>
    public void Discard()
    {
        Close();
        _target.Discard();
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
        _writer = null;
    }
}
