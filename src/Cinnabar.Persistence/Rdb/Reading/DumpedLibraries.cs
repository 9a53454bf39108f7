using System.Buffers.Binary;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>The payload that FUNCTION DUMP replies: an opcode and a text for each library, version (2 bytes),
/// CRC64 of all before (8 bytes).</summary>
/// <param name="payload">The payload, as a client sent it.</param>
public readonly ref struct DumpedLibraries(ReadOnlySpan<byte> payload)
{
    private const int FooterSize = sizeof(ushort) + sizeof(ulong);

    private readonly ReadOnlySpan<byte> _payload = payload;

    /// <summary>Whether it is long enough to be one.</summary>
    public bool IsWhole => _payload.Length >= FooterSize;

    /// <summary>The version in the footer; there must be one.</summary>
    public RdbVersion Version =>
        new(BinaryPrimitives.ReadUInt16LittleEndian(_payload[^FooterSize..]));

    /// <summary>Whether the checksum is right.</summary>
    public bool IsIntact => BinaryPrimitives.ReadUInt64LittleEndian(_payload[^sizeof(ulong)..])
        == Crc64.Append(0, _payload[..^sizeof(ulong)]);

    /// <summary>Reads the text of each library.</summary>
    /// <exception cref="RdbFormatException">It is corrupt.</exception>
    public List<byte[]> Read()
    {
        List<byte[]> sources = [];
        var cursor = new RdbCursor(_payload[..^FooterSize]);
        while (cursor.Left > 0)
        {
            if (cursor.ReadByte() != (byte)RdbOpcode.Function2)
                throw new RdbFormatException(cursor.Offset - 1, "given type is not a function");
            try
            {
                RdbString text = cursor.ReadString();
                var source = new byte[text.Length];
                text.CopyTo(source);
                sources.Add(source);
            }
            catch (RdbFormatException)
            {
                throw new RdbFormatException(cursor.Offset, "Failed loading library payload");
            }
        }

        return sources;
    }
}
