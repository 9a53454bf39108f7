// A small sorted set: one listpack, inside the key's entry, byte for byte as Redis writes it.
//
//     member, score, member, score, ...      by score, then by the members' bytes
//
// A score is an integer where it is a whole number, else its shortest text ("0.1", "inf"); so the
// negative zero becomes 0 here, as in Redis, which keeps it in a big set only. All is linear: a set leaves
// this form past zset-max-listpack-entries (128) members.
using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.SortedSets;

// SAFETY: `reader` and `pack` are of a sound listpack of pairs in an entry whose stripe the caller has
// locked.
/// <summary>Looks into the listpack of a small sorted set. A position is a member's entry.</summary>
internal static unsafe class SortedSetPack
{
    private const double WholeMax = 1L << 53;

    /// <summary>The score in a score's entry.</summary>
    public static double ScoreAt(ListpackReader reader, int scorePosition)
    {
        if (!TryScoreAt(reader, scorePosition, out double score))
            throw new InvalidOperationException("A score in a listpack is no number.");
        return score;
    }

    /// <summary>The score in an entry of a listpack from outside; false: it is none.</summary>
    public static bool TryScoreAt(ListpackReader reader, int scorePosition, out double score)
    {
        ListpackValue value = reader[scorePosition];
        score = value.Integer;
        return value.IsInteger || RedisNumber.TryParseDouble(value.Text, out score);
    }

    /// <summary>The entry to be written for a score.</summary>
    /// <param name="score">The score.</param>
    /// <param name="scratch">Keeps its text: <see cref="RedisNumber.DoubleBytesMax"/> bytes.</param>
    public static ListpackElement ElementOf(double score, Span<byte> scratch)
    {
        return Math.Abs(score) < WholeMax && score == (long)score
            ? new ListpackElement((long)score)
            : new ListpackElement(scratch[..RedisNumber.FormatDouble(score, scratch)]);
    }

    /// <summary>The position of a member; 0: it is not there.</summary>
    public static int Find(ListpackReader reader, ReadOnlySpan<byte> member) =>
        reader.Find(member, reader.First, stride: 2);

    /// <summary>Where a member with a score belongs: the position of what comes behind, or the end.</summary>
    public static int PlaceOf(ListpackReader reader, double score, ReadOnlySpan<byte> member)
    {
        int end = reader.End;
        // Members often come in order.
        if (reader.IsEmpty || IsBefore(reader, reader.Previous(reader.Last), score, member))
            return end;
        int position = reader.First;
        while (position != end && IsBefore(reader, position, score, member))
            position = reader.Behind(position, 2);
        return position;
    }

    /// <summary>How many members lie before a position, which may be the end.</summary>
    public static int RankAt(ListpackReader reader, int position)
    {
        int rank = 0;
        for (int at = Listpack.HeaderSize; at != position; rank++)
            at = reader.Behind(at, 2);
        return rank;
    }

    public static RankRange RangeOf(ListpackReader reader, in ScoreBounds bounds)
    {
        int rank = 0;
        int first = 0;
        int end = reader.End;
        for (int position = Listpack.HeaderSize; position != end; rank++)
        {
            int scorePosition = reader.Behind(position);
            double score = ScoreAt(reader, scorePosition);
            if (score < bounds.Min || (bounds.IsMinExclusive && score == bounds.Min))
                first = rank + 1;
            else if (score > bounds.Max || (bounds.IsMaxExclusive && score == bounds.Max))
                break;
            position = reader.Behind(scorePosition);
        }

        return new RankRange(first, rank - first);
    }

    /// <summary>Where all scores are equal: how many members come before this one, or up to it.</summary>
    public static int CountBelow(ListpackReader reader, ReadOnlySpan<byte> member, bool isInclusive)
    {
        int rank = 0;
        int end = reader.End;
        for (int position = Listpack.HeaderSize; position != end; rank++)
        {
            int difference = CompareMember(reader, position, member);
            if (difference > 0 || (difference == 0 && !isInclusive))
                break;
            position = reader.Behind(position, 2);
        }

        return rank;
    }

    private static bool IsBefore(ListpackReader reader, int position, double score, ReadOnlySpan<byte> member)
    {
        double other = ScoreAt(reader, reader.Behind(position));
        return other != score ? other < score : CompareMember(reader, position, member) < 0;
    }

    private static int CompareMember(ListpackReader reader, int position, ReadOnlySpan<byte> member)
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        return reader[position].AsText(scratch).SequenceCompareTo(member);
    }
}
