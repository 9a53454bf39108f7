// An RDB file:
//
//   REDIS0012 | FA name value ... | FE database | FB keys, volatile keys | entry ... | FE ... | FF | CRC64
//
//   entry:   [FC deadline, 8 bytes] [F8 idle seconds | F9 counter, 1 byte] type | key | value
//
// SELECTDB comes before the first entry of a database, and again where entries of another one came between:
// a snapshot's pre-images arrive in the order in which clients change keys. The first version that knows all
// that is in the file must stand in its first bytes, before anything is known of the values: whether a stream
// has idempotent producers, which take version 13, is said by the caller.

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Writes an RDB file from its first byte to its checksum. Does not flush it to disk at the
/// end.</summary>
public sealed class RdbFileWriter : IDisposable
{
    private const int VersionWithProducers = 13;
    private const int NoDatabase = -1;

    private readonly RdbOutput _output;
    private readonly RdbFileOptions _options;
    private int _database = NoDatabase;
    private bool _isFinished;

    /// <summary>Begins a file.</summary>
    /// <param name="file">Is empty; stays the caller's.</param>
    /// <param name="options">How it is written.</param>
    public RdbFileWriter(StoredFile file, in RdbFileOptions options)
    {
        if (options.HasProducers && options.Compatibility < RdbCompatibility.Redis74)
            throw new ArgumentException("this level has no idempotent producers", nameof(options));
        _options = options;
        var sink = new RdbFileSink(file, options.IsFlushedOnTheWay);
        _output = new RdbOutput(sink, options.IsCompressed, options.IsChecked);
        _output.WriteBytes("REDIS"u8);
        int version = options.HasProducers ? VersionWithProducers : (int)options.Compatibility;
        _output.WriteBytes(Encoding.ASCII.GetBytes(version.ToString("D4", CultureInfo.InvariantCulture)));
    }

    /// <summary>Bytes written so far.</summary>
    public long Length => _output.Length;

    /// <summary>Entries written so far.</summary>
    public long Count { get; private set; }

    /// <summary>Writes something that the file says of itself.</summary>
    public void WriteAux(string name, string value)
    {
        Debug.Assert(!_isFinished, "the file has its end");
        _output.WriteByte((byte)RdbOpcode.Aux);
        _output.WriteString(Encoding.UTF8.GetBytes(name));
        _output.WriteString(Encoding.UTF8.GetBytes(value));
    }

    /// <summary>Writes the code of a library of functions.</summary>
    public void WriteFunction(ReadOnlySpan<byte> code)
    {
        Debug.Assert(!_isFinished, "the file has its end");
        _output.WriteByte((byte)RdbOpcode.Function2);
        _output.WriteString(code);
    }

    /// <summary>Says how many keys the selected database will have, and how many with deadlines; about
    /// right is good enough.</summary>
    public void WriteSizes(long keyCount, long volatileCount)
    {
        Debug.Assert(_database != NoDatabase, "no database is selected");
        _output.WriteByte((byte)RdbOpcode.ResizeDatabase);
        _output.WriteLength((ulong)keyCount);
        _output.WriteLength((ulong)volatileCount);
    }

    /// <summary>Says which database the next entries are in.</summary>
    public void SelectDatabase(int database)
    {
        Debug.Assert(database >= 0, "there is no such database");
        if (database == _database)
            return;
        _database = database;
        _output.WriteByte((byte)RdbOpcode.SelectDatabase);
        _output.WriteLength((ulong)database);
    }

    /// <summary>Writes a key with its value.</summary>
    /// <param name="entry">With its name; must not change meanwhile.</param>
    /// <exception cref="RdbInexpressibleException">The level has no form for the value.</exception>
    public void WriteEntry(EntryView entry)
    {
        Debug.Assert(_database != NoDatabase && !_isFinished, "no database is selected");
        RdbType type = RdbValueWriter.TypeOf(entry, _options.Compatibility);
        Debug.Assert(type != RdbType.StreamListpacks4 || _options.HasProducers, "the file is of version 12");
        long deadlineMs = entry.DeadlineMs;
        if (deadlineMs >= 0)
        {
            _output.WriteByte((byte)RdbOpcode.ExpireTimeMs);
            _output.WriteWord((ulong)deadlineMs);
        }

        if (_options.Use != RdbUse.None)
            WriteUse(entry);
        _output.WriteByte((byte)type);
        _output.WriteString(entry.Key);
        RdbValueWriter.Write(_output, entry, type);
        Count++;
        _options.KeyDelay?.Wait(_options.Cancellation);
    }

    /// <summary>Writes the end; all bytes are the file's then.</summary>
    public void Finish()
    {
        Debug.Assert(!_isFinished, "the file has its end");
        _isFinished = true;
        _output.WriteByte((byte)RdbOpcode.End);
        _output.WriteWord(_output.Checksum);
        _output.Flush();
    }

    /// <inheritdoc/>
    public void Dispose() => _output.Dispose();

    private void WriteUse(EntryView entry)
    {
        if (_options.Use == RdbUse.Idle)
        {
            _output.WriteByte((byte)RdbOpcode.Idle);
            _output.WriteLength((ulong)entry.IdleSeconds(_options.NowMs));
            return;
        }

        _output.WriteByte((byte)RdbOpcode.Frequency);
        _output.WriteByte((byte)_options.Frequency!.Count(entry, _options.NowMs));
    }
}
