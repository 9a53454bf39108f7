// What DUMP replies and RESTORE takes:
//
//   | type | value | version (2 bytes) | CRC64 of all before (8 bytes) |          little-endian

using Cinnabar.Structures.Hashing;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Makes the payload of a key.</summary>
public static class DumpPayload
{
    /// <summary>Bytes behind the value.</summary>
    public const int FooterSize = sizeof(ushort) + sizeof(ulong);

    private const int VersionWithProducers = 13;

    /// <summary>Appends the payload of a value to what an output in memory has.</summary>
    /// <param name="output">In memory.</param>
    /// <param name="entry">The value.</param>
    /// <param name="level">The oldest Redis that is to read it.</param>
    /// <exception cref="RdbInexpressibleException">The level has no form for the value; nothing was
    /// written.</exception>
    public static void Write(RdbOutput output, EntryView entry, RdbCompatibility level)
    {
        RdbType type = RdbValueWriter.TypeOf(entry, level);
        var start = (int)output.Length;
        output.WriteByte((byte)type);
        RdbValueWriter.Write(output, entry, type);
        int version = type == RdbType.StreamListpacks4 ? VersionWithProducers : (int)level;
        WriteFooter(output, start, version);
    }

    /// <summary>Appends the payload of libraries of functions to what an output in memory has.</summary>
    /// <param name="output">In memory.</param>
    /// <param name="sources">The text of each library.</param>
    /// <param name="level">The oldest Redis that is to read it.</param>
    public static void WriteLibraries(
        RdbOutput output, ReadOnlySpan<byte[]> sources, RdbCompatibility level)
    {
        var start = (int)output.Length;
        foreach (byte[] source in sources)
        {
            output.WriteByte((byte)RdbOpcode.Function2);
            output.WriteString(source);
        }

        WriteFooter(output, start, Math.Max((int)level, (int)RdbCompatibility.Redis70));
    }

    private static void WriteFooter(RdbOutput output, int start, int version)
    {
        output.WriteByte((byte)version);
        output.WriteByte((byte)(version >> 8));
        output.WriteWord(Crc64.Append(0, output.Written[start..]));
    }
}
