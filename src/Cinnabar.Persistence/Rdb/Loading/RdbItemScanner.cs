// The scanner reads the file from its beginning to its end, in blocks of whole items, and gives each item to
// a sink. A block is cut only between items, and never between a key and what belongs to it (RdbPrelude).
//
// The checksum covers every byte up to the opcode of the end, so the scanner computes it. A damaged value may
// be found before, and a damaged text only here, behind all keys.

using System.Buffers.Binary;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform.Files;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Cuts a file into blocks of whole items.</summary>
/// <param name="file">The file.</param>
/// <param name="options">What is read, and how many bytes at a time.</param>
/// <param name="sink">Gets the items.</param>
internal sealed class RdbItemScanner(StoredFile file, RdbReadOptions options, IRdbItemSink sink)
{
    private readonly StoredFile _file = file;
    private readonly RdbReadOptions _options = options;
    private readonly IRdbItemSink _sink = sink;
    private RdbItemReader _reader;
    private RdbPrelude _prelude = new();
    private ulong _checksum;

    /// <summary>The version of the file.</summary>
    public RdbVersion Version => _reader.Version;

    /// <summary>The offset of the first byte that has not been scanned.</summary>
    public long Offset { get; private set; }

    /// <summary>Whether the file has been scanned, its checksum included.</summary>
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
        if (!version.IsRead(_options.IsVersionRelaxed))
            throw new RdbHeaderException($"Can't handle RDB format version {version.Number}");
        _reader = new RdbItemReader(version);
        _checksum = Crc64.Append(_checksum, header);
    }

    /// <summary>Fills a block with the next items of the file, which the sink gets.</summary>
    /// <exception cref="RdbFormatException">The file is damaged.</exception>
    public void Fill(RdbBlock block)
    {
        Debug.Assert(!IsAtEnd && Offset > 0, "between header and end");
        block.Begin(Offset, _options.BlockSize);
        bool isCut;
        do
        {
            bool hasMore = block.Read(_file);
            isCut = !TryScan(block, out long missingBytes);
            // Where not one item is whole, the file ends within it, or the block is too small.
            if (isCut && block.Used == 0)
                Grow(block, missingBytes, hasMore);
        }
        while (isCut && block.Used == 0);
        _checksum = Crc64.Append(_checksum, block.Bytes[..block.Used]);
        Offset += block.Used;
        if (IsAtEnd)
            ReadChecksum();
    }

    // A number that belongs to the other magic.
    private static int? NumberOf(ReadOnlySpan<byte> header) => header.StartsWith("REDIS"u8)
        && int.TryParse(header["REDIS"u8.Length..], NumberStyles.None, CultureInfo.InvariantCulture,
            out int number) ? number : null;

    private static RdbEndException EndOfFile(long offset) => new(offset, 1);

    private void Grow(RdbBlock block, long missingBytes, bool hasMore)
    {
        if (!hasMore || block.Length < block.Capacity)
            throw EndOfFile(block.Offset + block.Length);
        long left = _file.Length - block.Offset;
        if (missingBytes > left - block.Length)
            throw EndOfFile(_file.Length);
        long wanted = Math.Max(2L * block.Capacity, block.Length + missingBytes);
        block.Reserve(Math.Clamp(wanted, block.Capacity + 1L, Math.Max(left, block.Capacity + 1L)));
    }

    // Scans until the bytes end, or the sink has enough, or the file ends; false: the bytes end within an
    // item.
    private bool TryScan(RdbBlock block, out long missingBytes)
    {
        var cursor = new RdbCursor(block.Bytes, block.Offset) { Position = block.Used };
        RdbItem item = default;
        missingBytes = 0;
        try
        {
            bool hasEnough = false;
            while (!IsAtEnd && !hasEnough)
            {
                _reader.Read(ref cursor, ref _prelude, ref item);
                hasEnough = _sink.Take(ref cursor, in item, in _prelude, block);
                IsAtEnd = item.Kind == RdbItemKind.End;
                if (item.Kind is RdbItemKind.Key or RdbItemKind.End)
                    _prelude = new RdbPrelude();
                if (!_prelude.IsPresent)
                    block.Used = cursor.Position;
            }

            return true;
        }
        catch (RdbEndException end)
        {
            // The items behind the cut are read again.
            _prelude = new RdbPrelude();
            block.DropCutEntries();
            missingBytes = end.MissingBytes;
            return false;
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
        ulong stored = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        _sink.ChecksumRead(stored, _checksum);
        if (stored != 0 && stored != _checksum)
            throw new RdbFormatException(Offset, "RDB CRC error");
    }

    private void ReadWhole(Span<byte> bytes)
    {
        long start = Offset;
        for (int length = 0; length < bytes.Length;)
        {
            int count = _file.Read(Offset, bytes[length..]);
            // As redis-check-rdb does, it names the beginning of what is not whole.
            if (count == 0)
                throw EndOfFile(start);
            length += count;
            Offset += count;
        }
    }
}
