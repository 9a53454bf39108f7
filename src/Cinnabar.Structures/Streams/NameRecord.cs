// A record of a NameTree. Its key in the page's column is the owner.
//
//   | name's length | name | value's length | value |
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: records are those that Write wrote, into SizeFor bytes; keys are 8 bytes each.
/// <summary>The layout of a record.</summary>
internal readonly unsafe struct NameRecord : IRecordFormat
{
    /// <summary>An owner.</summary>
    public static int KeySize => sizeof(ulong);

    public static int SizeOf(byte* record)
    {
        byte* at = Varint.Read(record, out uint nameLength);
        at = Varint.Read(at + nameLength, out uint valueLength);
        return (int)(at - record) + (int)valueLength;
    }

    /// <summary>Bytes of the record for a name and a value.</summary>
    internal static int SizeFor(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => checked(
        Varint.Size((uint)name.Length) + name.Length + Varint.Size((uint)value.Length) + value.Length);

    internal static void Write(byte* record, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        byte* at = Varint.Write(record, (uint)name.Length);
        name.CopyTo(new Span<byte>(at, name.Length));
        at = Varint.Write(at + name.Length, (uint)value.Length);
        value.CopyTo(new Span<byte>(at, value.Length));
    }

    /// <summary>The owners of a page's records.</summary>
    internal static ulong* Owners(TreePage* page) => (ulong*)RecordPage<NameRecord>.Keys(page);

    /// <summary>The name of a record.</summary>
    internal static ReadOnlySpan<byte> Name(TreePage* page, int index)
    {
        byte* at = Varint.Read(RecordPage<NameRecord>.Record(page, index), out uint length);
        return new ReadOnlySpan<byte>(at, (int)length);
    }

    /// <summary>The value of a record; may be written to where the page is owned.</summary>
    internal static Span<byte> Value(TreePage* page, int index)
    {
        byte* at = Varint.Read(RecordPage<NameRecord>.Record(page, index), out uint nameLength);
        at = Varint.Read(at + nameLength, out uint length);
        return new Span<byte>(at, (int)length);
    }
}
