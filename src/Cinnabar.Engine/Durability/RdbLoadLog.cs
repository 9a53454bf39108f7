using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Durability;

/// <summary>Writes to the log what a file has beside its keys, in Redis's words where it has some, and keeps
/// what others ask for.</summary>
/// <param name="server">The server.</param>
/// <param name="progress">How far the load is.</param>
internal sealed class RdbLoadLog(IDataServer server, LoadProgress progress) : IRdbFileObserver
{
    private const double BytesPerMegabyte = 1 << 20;
    private const int NamedKeyCountMax = 10;

    private readonly ILog _log = server.Log;
    private readonly IDataServer _server = server;
    private readonly LoadProgress _progress = progress;
    private int _namedKeyCount;
    private string? _streamId;
    private long _streamOffset = -1;
    private int _streamDatabase;

    /// <summary>How far the file is loaded.</summary>
    public RdbLoadProgress? File { get; private set; }

    /// <summary>The code of each library of functions.</summary>
    public List<byte[]> Functions { get; } = [];

    /// <summary>Where in a replication stream the data were taken; null: the file does not say.</summary>
    public StoredMoment? Moment =>
        _streamId is { Length: ReplicationHistory.IdLength } id && _streamOffset >= 0
            ? new StoredMoment(id, _streamOffset, _streamDatabase) : null;

    public void Described(ReadOnlySpan<byte> name, ReadOnlySpan<byte> text)
    {
        string value = Encoding.Latin1.GetString(text);
        switch (Encoding.Latin1.GetString(name))
        {
            case "redis-ver":
                _log.Write(LogLevel.Notice, $"Loading RDB produced by version {value}");
                break;
            case "valkey-ver":
                _log.Write(LogLevel.Notice, $"Loading RDB produced by Valkey version {value}");
                break;
            case "ctime" when TryNumber(value, out long created):
                long age = Math.Max(0, (_server.Clock.UnixMicroseconds / 1_000_000) - created);
                _log.Write(LogLevel.Notice, $"RDB age {age} seconds");
                break;
            case "used-mem" when TryNumber(value, out long used):
                _progress.UsedBytes = used;
                _log.Write(LogLevel.Notice, string.Create(CultureInfo.InvariantCulture,
                    $"RDB memory usage when created {used / BytesPerMegabyte:F2} Mb"));
                break;
            case "aof-preamble" when value == "1":
                _log.Write(LogLevel.Notice, "RDB has an AOF tail");
                break;
            case "aof-base" when value == "1":
                _log.Write(LogLevel.Notice, "RDB is base AOF");
                break;
            case "repl-id":
                _streamId = value;
                break;
            case "repl-offset" when TryNumber(value, out long offset):
                _streamOffset = offset;
                break;
            case "repl-stream-db" when TryNumber(value, out long database):
                _streamDatabase = (int)Math.Clamp(database, 0, _server.Keyspace.DatabaseCount - 1);
                break;
            case "redis-bits" or "aof-preamble" or "aof-base" or "slot-info":
                break;
            case ['%', ..] information:
                _log.Write(LogLevel.Notice, $"RDB '{information}': {value}");
                break;
            case var other:
                _log.Write(LogLevel.Debug, $"Unrecognized RDB AUX field: '{other}' '{value}'");
                break;
        }
    }

    public void FunctionsFound(ReadOnlySpan<byte> code) => Functions.Add(code.ToArray());

    public void ModuleDataSkipped(RdbModuleId module) => _log.Write(
        LogLevel.Notice, $"Skipping AUX data of the module type '{module.Name}', which is not there.");

    public void ChecksumRead(ulong stored, ulong computed)
    {
        if (stored == 0)
            _log.Write(LogLevel.Notice, "RDB file was saved with checksum disabled: no check performed.");
        else if (stored != computed)
            _log.Write(LogLevel.Warning,
                $"Wrong RDB checksum expected: ({stored:x}) but got ({computed:x}). Aborting now.");
    }

    public void Advanced(RdbLoadProgress progress)
    {
        if (File is null)
            _progress.Follow(File = progress);
        _progress.Report(_log, _server.Clock.MonotonicNanoseconds, $", {progress.KeysLoaded} keys");
    }

    public void EmptyKeySkipped(ReadOnlySpan<byte> key)
    {
        string text = Encoding.Latin1.GetString(key);
        if (Interlocked.Increment(ref _namedKeyCount) <= NamedKeyCountMax)
            _log.Write(LogLevel.Notice, $"rdbLoadObject skipping empty key: {text}");
    }

    public void ModuleKeySkipped(ReadOnlySpan<byte> key, string type)
    {
        if (Interlocked.Increment(ref _namedKeyCount) <= NamedKeyCountMax)
        {
            _log.Write(LogLevel.Warning, $"Skipping what the module type '{type}' has stored for the key "
                + $"'{Encoding.Latin1.GetString(key)}' (rdb-skip-module-keys)");
        }
    }

    private static bool TryNumber(string text, out long number) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number);
}
