using System.Buffers.Binary;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>The payload that DUMP replies: type, value, version (2 bytes), CRC64 of all before (8 bytes).
/// From Redis 8.6 on, metadata of modules may stand before the type.</summary>
/// <param name="payload">The payload, as a client sent it.</param>
public readonly ref struct DumpedValue(ReadOnlySpan<byte> payload)
{
    private const int VersionSize = sizeof(ushort);
    private const int FooterSize = VersionSize + sizeof(ulong);

    private readonly ReadOnlySpan<byte> _payload = payload;

    /// <summary>Whether it is long enough to be one.</summary>
    public bool IsWhole => _payload.Length > FooterSize;

    /// <summary>The version in the footer; there must be one.</summary>
    public RdbVersion Version =>
        new(BinaryPrimitives.ReadUInt16LittleEndian(_payload[^FooterSize..]));

    /// <summary>Whether the checksum is right.</summary>
    public bool IsIntact => BinaryPrimitives.ReadUInt64LittleEndian(_payload[^sizeof(ulong)..])
        == Crc64.Append(0, _payload[..^sizeof(ulong)]);

    /// <summary>Reads the value, which is then stored or discarded.</summary>
    /// <exception cref="RdbFormatException">It is no value of a known type, or corrupt.</exception>
    public void Read(RdbValueLoader loader)
    {
        var cursor = new RdbCursor(_payload[..^FooterSize]);
        byte first = cursor.ReadByte();
        if (first == (byte)RdbOpcode.KeyMetadata && Version.Dialect == RdbDialect.Redis)
        {
            RdbValueSkipper.SkipKeyMetadata(ref cursor);
            first = cursor.ReadByte();
        }

        if (!Version.TryTypeOf(first, out RdbType type))
            throw new RdbFormatException(cursor.Offset - 1, $"Unknown RDB encoding type {first}");
        loader.Read(type, ref cursor);
        if (cursor.Left == 0)
            return;
        loader.Discard();
        throw new RdbFormatException(cursor.Offset, "Bytes behind the value");
    }
}
