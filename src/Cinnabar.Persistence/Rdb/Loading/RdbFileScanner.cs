// The scanner reads the file from its beginning to its end, in blocks, and finds the boundaries of its items.
// It acts on all but the keys: the database, the fields, the checksum. The keys it leaves to workers as
// entries of the block. A block is cut only between items, and never between a key and what belongs to it
// (RdbPrelude).
//
// The checksum covers every byte up to the opcode of the end, so the scanner computes it. A damaged value may
// be found by a worker before, and a damaged text only here, behind all keys.

using System.IO;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform.Files;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Cuts a file into blocks of whole items.</summary>
/// <param name="load">The load that it is a part of.</param>
internal sealed class RdbFileScanner(RdbLoad load)
{
    private const long PicosecondsPerMicrosecond = 1_000_000;
    private const long PicosecondsPerMillisecond = 1_000_000_000;
    private const int SleepSliceMs = 100;
    private const int DelayedBlockMs = 10;

    private readonly StoredFile _file = load.File;
    private readonly RdbFileOptions _options = load.Options;
    private readonly IRdbFileObserver _observer = load.Observer;
    private readonly RdbLoadProgress _progress = load.Progress;
    private readonly int _databaseCount = load.Keyspace.DatabaseCount;
    private readonly CancellationToken _stop = load.Stop;
    private RdbItemReader _reader;
    private RdbPrelude _prelude = new();
    private ulong _checksum;
    private long _delayPs;
    private int _delayedMs;
    private int _database;

    /// <summary>The version of the file.</summary>
    public RdbVersion Version => _reader.Version;

    /// <summary>The offset of the first byte that has not been scanned.</summary>
    public long Offset { get; private set; }

    /// <summary>Whether the file has been scanned, up to its checksum.</summary>
    public bool IsAtEnd { get; private set; }

    /// <summary>Reads the first bytes.</summary>
    /// <exception cref="RdbHeaderException">The file is none that is read.</exception>
    public void ReadHeader()
    {
        Span<byte> header = stackalloc byte[RdbVersion.HeaderSize];
        ReadWhole(header);
        if (!RdbVersion.TryParse(header, out RdbVersion version))
            throw new RdbHeaderException(NumberOf(header) is { } number
                ? $"Can't handle RDB format version {number}"
                : "Wrong signature trying to load DB from file");
        if (!version.IsKnown && !(_options.IsVersionRelaxed && version.Number > RdbVersion.RedisMax))
            throw new RdbHeaderException($"Can't handle RDB format version {version.Number}");
        _reader = new RdbItemReader(version);
        _checksum = Crc64.Append(_checksum, header);
    }

    /// <summary>Fills a block with the next items of the file.</summary>
    /// <exception cref="RdbFormatException">The file is damaged.</exception>
    public void Fill(RdbBlock block)
    {
        Debug.Assert(!IsAtEnd && Offset > 0, "between header and end");
        block.Begin(Offset, _options.BlockSize);
        _delayedMs = 0;
        RdbEndException? cut;
        do
        {
            bool hasMore = block.Read(_file);
            cut = Scan(block);
            if (cut is null || block.Used > 0)
                break;
            // Not one item is whole: the file ends within it, or the block is too small.
            if (!hasMore || block.Length < block.Capacity)
                throw EndOfFile(block.Offset + block.Length);
            long left = _file.Length - block.Offset;
            if (cut.MissingBytes > left - block.Length)
                throw EndOfFile(_file.Length);
            long wanted = Math.Max(2L * block.Capacity, block.Length + cut.MissingBytes);
            block.Reserve(Math.Clamp(wanted, block.Capacity + 1L, Math.Max(left, block.Capacity + 1L)));
        }
        while (true);
        _checksum = Crc64.Append(_checksum, block.Bytes[..block.Used]);
        Offset += block.Used;
        if (IsAtEnd)
            ReadChecksum();
        _progress.LoadedBytes = Offset;
    }

    // A number that belongs to the other magic.
    private static int? NumberOf(ReadOnlySpan<byte> header) => header.StartsWith("REDIS"u8)
        && int.TryParse(header["REDIS"u8.Length..], NumberStyles.None, CultureInfo.InvariantCulture,
            out int number) ? number : null;

    private static RdbEndException EndOfFile(long offset) => new(offset, 1);

    // Null: the block was cut where it is to be cut.
    private RdbEndException? Scan(RdbBlock block)
    {
        var cursor = new RdbCursor(block.Bytes, block.Offset) { Position = block.Used };
        RdbItem item = default;
        try
        {
            while (!IsAtEnd)
            {
                _reader.Read(ref cursor, ref _prelude, ref item);
                if (item.Kind == RdbItemKind.Key)
                    ScanKey(ref cursor, in item, block);
                else
                    Act(in item, cursor.Offset);
                if (_prelude.IsPresent)
                    continue;
                block.Used = cursor.Position;
                if (_delayedMs >= DelayedBlockMs)
                    return null;
            }

            return null;
        }
        catch (RdbEndException end)
        {
            // The items behind the cut are read again.
            _prelude = new RdbPrelude();
            while (block.Entries.Count > 0 && block.Entries[^1].NamePosition > block.Used)
                block.Entries.RemoveAt(block.Entries.Count - 1);
            return end;
        }
    }

    private void ScanKey(ref RdbCursor cursor, scoped in RdbItem item, RdbBlock block)
    {
        _stop.ThrowIfCancellationRequested();
        RdbString name = cursor.ReadString();
        bool isOfModule = item.Type == RdbType.Module2;
        if (isOfModule || _prelude.MetadataClass is not null)
            CheckModule(cursor, in name, item.Type);
        RdbValueSkipper.Skip(ref cursor, item.Type);
        if (!isOfModule)
        {
            block.Entries.Add(new RdbLoadEntry
            {
                NamePosition = item.NamePosition,
                Type = item.Type,
                Database = _database,
                DeadlineMs = _prelude.DeadlineMs,
                IdleSeconds = _prelude.IdleSeconds,
                Frequency = _prelude.Frequency,
            });
        }

        _prelude = new RdbPrelude();
        if (_options.KeyDelay?.Invoke() is { } delay and not 0)
            Delay(delay);
    }

    private void CheckModule(RdbCursor value, scoped in RdbString name, RdbType type)
    {
        RdbCursor whole = value;
        bool isOfModule = type == RdbType.Module2;
        string module = isOfModule ? new RdbModuleId(value.ReadLength()).Name : _prelude.MetadataClass!;
        var key = new byte[name.Length];
        name.CopyTo(key);
        if (!_options.SkipsModuleKeys)
        {
            string text = Encoding.Latin1.GetString(key);
            throw new RdbFormatException(whole.Offset, isOfModule
                ? $"The RDB file contains module data I can't load: no matching module type '{module}', "
                    + $"key '{text}' in DB {_database}"
                : $"RDB load key metadata failed: Class '{module}' not registered or missing rdb_load(), "
                    + $"key '{text}' in DB {_database}");
        }

        // A value that is cut off is scanned once more, and reported then.
        RdbValueSkipper.Skip(ref whole, type);
        _progress.Add(0, 0, 0, 1);
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
            case RdbItemKind.End:
                IsAtEnd = true;
                _prelude = new RdbPrelude();
                break;
        }
    }

    private void ReadChecksum()
    {
        if (Version.Number < RdbVersion.ChecksumMin)
            return;
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        ReadWhole(bytes);
        if (!_options.IsChecksumVerified)
            return;
        ulong stored = System.Buffers.Binary.BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        _observer.ChecksumRead(stored, _checksum);
        if (stored != 0 && stored != _checksum)
            throw new RdbFormatException(Offset, "RDB CRC error");
    }

    private void ReadWhole(Span<byte> bytes)
    {
        for (int length = 0; length < bytes.Length;)
        {
            int count = _file.Read(Offset, bytes[length..]);
            if (count == 0)
                throw EndOfFile(Offset);
            length += count;
            Offset += count;
        }
    }

    private static byte[] BytesOf(scoped in RdbString text)
    {
        var bytes = new byte[text.Length];
        text.CopyTo(bytes);
        return bytes;
    }

    // The shortest sleep takes far longer than a microsecond: sleep for many keys together.
    private void Delay(int delay)
    {
        _delayPs += delay > 0 ? delay * PicosecondsPerMicrosecond : PicosecondsPerMicrosecond / -(long)delay;
        for (; _delayPs >= PicosecondsPerMillisecond; _stop.ThrowIfCancellationRequested())
        {
            int ms = (int)Math.Min(_delayPs / PicosecondsPerMillisecond, SleepSliceMs);
            Thread.Sleep(ms);
            _delayPs = _options.KeyDelay!() == 0 ? 0 : _delayPs - (ms * PicosecondsPerMillisecond);
            _delayedMs += ms;
        }
    }
}
