// A record of a HashPages:
//
//   | member's length * 4 + flags | member | deadline, 8 bytes, flag 2 | value's length | value, flag 1 |
//
// Lengths are varints, so a set's member up to 31 bytes costs one byte beside itself.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: records are those that Write wrote, into SizeOf bytes.
/// <summary>The layout of a record.</summary>
internal readonly unsafe struct HashRecord : IRecordFormat
{
    private const uint ValueFlag = 1;
    private const uint DeadlineFlag = 2;
    private const int FlagBits = 2;

    /// <summary>One-byte tags: the lowest byte of the hash.</summary>
    public static int KeySize => 1;

    public static int SizeOf(byte* record)
    {
        byte* at = Varint.Read(record, out uint header);
        at += header >> FlagBits;
        if ((header & DeadlineFlag) != 0) at += sizeof(long);
        if ((header & ValueFlag) != 0)
        {
            at = Varint.Read(at, out uint length);
            at += length;
        }
        return (int)(at - record);
    }

    /// <summary>Bytes of the record for a field.</summary>
    internal static int SizeFor(in HashField field)
    {
        long size = Varint.Size((uint)field.Member.Length << FlagBits) + (long)field.Member.Length;
        if (field.HasDeadline) size += sizeof(long);
        if (field.HasValue) size += Varint.Size((uint)field.Value.Length) + (long)field.Value.Length;
        return checked((int)size);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Matches(byte* record, ReadOnlySpan<byte> member)
    {
        byte* at = Varint.Read(record, out uint header);
        return header >> FlagBits == (uint)member.Length
            && new ReadOnlySpan<byte>(at, member.Length).SequenceEqual(member);
    }

    internal static ReadOnlySpan<byte> Member(byte* record)
    {
        byte* at = Varint.Read(record, out uint header);
        return new ReadOnlySpan<byte>(at, (int)(header >> FlagBits));
    }

    /// <summary>All of a record, as spans into it.</summary>
    internal static HashField Read(byte* record)
    {
        byte* at = Varint.Read(record, out uint header);
        var member = new ReadOnlySpan<byte>(at, (int)(header >> FlagBits));
        at += member.Length;
        long deadlineMs = HashField.NoDeadline;
        if ((header & DeadlineFlag) != 0)
        {
            deadlineMs = Unsafe.ReadUnaligned<long>(at);
            at += sizeof(long);
        }
        if ((header & ValueFlag) == 0) return new HashField(member);
        at = Varint.Read(at, out uint length);
        return new HashField(member, new ReadOnlySpan<byte>(at, (int)length), deadlineMs);
    }

    /// <summary>Writes a record of <see cref="SizeFor"/> bytes.</summary>
    internal static void Write(byte* record, in HashField field)
    {
        uint header = (uint)field.Member.Length << FlagBits;
        if (field.HasValue) header |= ValueFlag;
        if (field.HasDeadline) header |= DeadlineFlag;
        byte* at = Varint.Write(record, header);
        field.Member.CopyTo(new Span<byte>(at, field.Member.Length));
        at += field.Member.Length;
        if (field.HasDeadline)
        {
            Unsafe.WriteUnaligned(at, field.DeadlineMs);
            at += sizeof(long);
        }
        if (!field.HasValue) return;
        at = Varint.Write(at, (uint)field.Value.Length);
        field.Value.CopyTo(new Span<byte>(at, field.Value.Length));
    }
}
