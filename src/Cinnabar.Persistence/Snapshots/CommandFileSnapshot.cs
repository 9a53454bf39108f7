// The base of an append-only file as commands (aof-use-rdb-preamble no): annotation, libraries of functions,
// keys, with SELECT wherever the database changes. A snapshot's pre-images arrive in the order in which
// clients change keys, so a database may be selected again and again.

using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Journal.Rewriting;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>Makes a file of commands of a snapshot.</summary>
/// <param name="files">Where it is.</param>
/// <param name="place">Its names.</param>
/// <param name="options">How it is written.</param>
public sealed class CommandFileSnapshot(FileSystem files, RdbFilePlace place, RdbFileOptions options)
    : ISnapshotConsumer
{
    private readonly PlacedFile _placed = new(files, place);
    private readonly RdbFileOptions _options = options;
    private RdbOutput? _output;
    private CommandOutput? _commands;
    private ValueCommands? _values;
    private int _database = -1;

    /// <summary>The libraries of functions, which the file has before its keys.</summary>
    public IReadOnlyList<StoredLibrary> Functions { get; init; } = [];

    /// <summary>Whether the file begins with the time of its contents
    /// (<c>aof-timestamp-enabled</c>).</summary>
    public bool HasTimestamp { get; init; }

    /// <inheritdoc/>
    /// <exception cref="System.IO.IOException">It may not be written over, or cannot be.</exception>
    /// <exception cref="RdbInexpressibleException">The level has no functions; there are some.</exception>
    public void Begin(ReadOnlySpan<SnapshotDatabase> databases)
    {
        var sink = new RdbFileSink(_placed.Create(), _options.IsFlushedOnTheWay);
        _output = new RdbOutput(sink, isCompressed: false, isChecked: false);
        _commands = new CommandOutput(_output);
        _values = new ValueCommands(_commands, _options.Compatibility);
        if (HasTimestamp)
            _output.WriteBytes(Encoding.ASCII.GetBytes(string.Create(
                CultureInfo.InvariantCulture, $"#TS:{_options.NowMs / 1000}\r\n")));
        StoredLibrary.Check(Functions, _options.Compatibility);
        foreach (StoredLibrary library in Functions)
        {
            _commands.Begin(3);
            _commands.Write("FUNCTION"u8);
            _commands.Write("LOAD"u8);
            _commands.Write(library.Code);
        }
    }

    /// <inheritdoc/>
    public void Write(int database, EntryView entry)
    {
        if (database != _database)
        {
            _database = database;
            _commands!.Begin(2);
            _commands.Write("SELECT"u8);
            _commands.Write((long)database);
        }

        _values!.Write(entry);
        _options.KeyDelay?.Wait(_options.Cancellation);
    }

    /// <inheritdoc/>
    public void End()
    {
        _output!.Flush();
        Close();
        _placed.Commit();
    }

    /// <inheritdoc/>
    public void Discard()
    {
        Close();
        _placed.Discard();
    }

    private void Close()
    {
        _output?.Dispose();
        _output = null;
    }
}
