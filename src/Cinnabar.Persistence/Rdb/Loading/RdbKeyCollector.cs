// What the loader's thread that scans does with the items: it acts on all but the keys, and leaves these to
// the workers as entries of the block.

using Cinnabar.Keyspace.Loading;
using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Collects the keys of blocks.</summary>
/// <param name="load">The load that it is a part of.</param>
internal sealed class RdbKeyCollector(RdbLoad load) : IRdbItemSink
{
    private const double DelayedBlockMs = 10;

    private readonly RdbLoad _load = load;
    private readonly RdbReadOptions _options = load.Options;
    private readonly IRdbFileObserver _observer = load.Observer;
    private readonly int _databaseCount = load.Keyspace.DatabaseCount;
    private readonly int _firstDatabase = load.Options.IsIntoReserve ? load.Keyspace.DatabaseCount : 0;
    private readonly CancellationToken _stop = load.Stop;
    private double _delayedMs;
    private int _database;

    public bool Take(
        ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block)
    {
        if (item.Kind != RdbItemKind.Key)
        {
            Act(in item, cursor.Offset);
            return false;
        }

        _stop.ThrowIfCancellationRequested();
        Collect(ref cursor, in item, in prelude, block);
        if (_options.KeyDelay is not { } delay)
            return false;
        _delayedMs += delay.Wait(_stop);
        _stop.ThrowIfCancellationRequested();
        bool isLate = _delayedMs >= DelayedBlockMs;
        _delayedMs = isLate ? 0 : _delayedMs;
        return isLate;
    }

    public void ChecksumRead(ulong stored, ulong computed) => _observer.ChecksumRead(stored, computed);

    private static byte[] BytesOf(scoped in RdbString text)
    {
        var bytes = new byte[text.Length];
        text.CopyTo(bytes);
        return bytes;
    }

    private void Collect(
        ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block)
    {
        RdbString name = cursor.ReadString();
        bool isOfModule = item.Type == RdbType.Module2;
        if (isOfModule || prelude.MetadataClass is not null)
            CheckModule(cursor, in name, item.Type, prelude.MetadataClass);
        RdbValueSkipper.Skip(ref cursor, item.Type);
        if (isOfModule)
            return;
        block.Entries.Add(new RdbLoadEntry
        {
            NamePosition = item.NamePosition,
            EndPosition = cursor.Position,
            Type = item.Type,
            Database = _database + _firstDatabase,
            DeadlineMs = prelude.DeadlineMs,
            Use = new KeyUse(prelude.IdleSeconds, prelude.Frequency),
        });
    }

    private void CheckModule(
        RdbCursor value, scoped in RdbString name, RdbType type, string? metadataClass)
    {
        RdbCursor whole = value;
        bool isOfModule = type == RdbType.Module2;
        string module = isOfModule ? new RdbModuleId(value.ReadLength()).Name : metadataClass!;
        byte[] key = BytesOf(in name);
        if (!_options.SkipsModuleKeys)
        {
            string text = $"key '{Encoding.Latin1.GetString(key)}' in DB {_database}";
            throw new RdbFormatException(whole.Offset, isOfModule
                ? $"The RDB file contains module data I can't load: no matching module type '{module}', "
                    + text
                : $"RDB load key metadata failed: Class '{module}' not registered or missing rdb_load(), "
                    + text);
        }

        // A value that is cut off is scanned once more, and reported then.
        RdbValueSkipper.Skip(ref whole, type);
        _load.Progress.Add(0, 0, 0, 1);
        _observer.ModuleKeySkipped(key, module);
    }

    private void Act(scoped in RdbItem item, long offset)
    {
        switch (item.Kind)
        {
            case RdbItemKind.SelectDatabase:
                if (item.Number >= (ulong)_databaseCount)
                {
                    throw new RdbFormatException(offset, "FATAL: Data file was created with a Redis server "
                        + $"configured to handle more than {_databaseCount} databases. Exiting");
                }

                _database = (int)item.Number;
                break;
            case RdbItemKind.Aux:
                _observer.Described(BytesOf(in item.Name), BytesOf(in item.Text));
                break;
            case RdbItemKind.Function:
                _observer.FunctionsFound(BytesOf(in item.Name));
                break;
            case RdbItemKind.ModuleAux:
                _observer.ModuleDataSkipped(new RdbModuleId(item.Number));
                break;
        }
    }
}
