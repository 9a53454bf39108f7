// A record of a SortedSetTree's order. Its key in the page's column is the score (ScoreBits).
//
//   | member's length * 2 + whether the score is the negative zero | member |
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: records are those that Write wrote, into SizeFor bytes; keys are 8 bytes each.
/// <summary>The layout of a record.</summary>
internal readonly unsafe struct OrderRecord : IRecordFormat
{
    /// <summary>A score.</summary>
    public static int KeySize => sizeof(ulong);

    public static int SizeOf(byte* record)
    {
        byte* at = Varint.Read(record, out uint header);
        return (int)(at - record) + (int)(header >> 1);
    }

    /// <summary>Bytes of the record for a member.</summary>
    internal static int SizeFor(ReadOnlySpan<byte> member) =>
        Varint.Size((uint)member.Length << 1) + member.Length;

    internal static void Write(byte* record, ReadOnlySpan<byte> member, bool isNegativeZero)
    {
        byte* at = Varint.Write(record, (uint)member.Length << 1 | (isNegativeZero ? 1u : 0));
        member.CopyTo(new Span<byte>(at, member.Length));
    }

    /// <summary>Changes which zero the score is.</summary>
    internal static void SetZero(byte* record, bool isNegative) =>
        *record = (byte)(*record & ~1 | (isNegative ? 1 : 0));

    /// <summary>A page's scores, as numbers of the same order.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong* Scores(TreePage* page) => (ulong*)RecordPage<OrderRecord>.Keys(page);

    /// <summary>The score of a record.</summary>
    internal static double Score(TreePage* page, int index) => ScoreBits.ToScore(
        Scores(page)[index], (*RecordPage<OrderRecord>.Record(page, index) & 1) != 0);

    /// <summary>The member of a record.</summary>
    internal static ReadOnlySpan<byte> Member(TreePage* page, int index)
    {
        byte* at = Varint.Read(RecordPage<OrderRecord>.Record(page, index), out uint header);
        return new ReadOnlySpan<byte>(at, (int)(header >> 1));
    }
}
