// A position in the order of a sorted set: by score, then by the member's bytes. Separators have its
// beginning: the score and the first 24 bytes of the member, big-endian and filled up with zeroes, which
// compare as four numbers. So members of usual length are told apart without leaving the node; where that
// does not decide, the first record of the child's first page does. It may have become greater since the
// separator was made, never less, so the answer is always the same.
//
// Why 24 bytes and not 8: members of one set usually begin alike ("member:0001"), and each tie costs the miss
// of a page. 16 bytes more for a page of 2 KiB cost less than one in a hundred.
using System.Buffers.Binary;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: separators of the order's tree have Size bytes; pages below its nodes are never empty.
/// <summary>A score and a member, to be sought.</summary>
internal readonly unsafe ref struct OrderKey : ITreeKey
{
    /// <summary>Bytes of a separator.</summary>
    internal const int Size = 32;

    /// <summary>Words of a separator.</summary>
    internal const int WordCount = 4;

    // The columns of some 60 records: halving would fetch four of these lines one after the other.
    private const int ColumnLines = 9;

    // How many records of the same score are looked at one by one.
    private const int TieCountMax = 6;

    private readonly ulong _score;
    private readonly ulong _first;
    private readonly ulong _second;
    private readonly ulong _third;
    private readonly ReadOnlySpan<byte> _member;

    /// <param name="score">As <see cref="ScoreBits"/> has it.</param>
    /// <param name="member">Empty to go before all members of this score.</param>
    internal OrderKey(ulong score, ReadOnlySpan<byte> member)
    {
        _score = score;
        _member = member;
        _first = Word(member, 0);
        _second = Word(member, sizeof(ulong));
        _third = Word(member, 2 * sizeof(ulong));
    }

    /// <param name="place">The same, noted.</param>
    internal OrderKey(in OrderPlace place)
    {
        _score = place.Score;
        _first = place.First;
        _second = place.Second;
        _third = place.Third;
        _member = place.Member;
    }

    /// <summary>The score, as <see cref="ScoreBits"/> has it.</summary>
    internal ulong Score => _score;

    /// <summary>Writes the separator for what begins here: <see cref="Size"/> bytes.</summary>
    internal void WriteTo(byte* separator)
    {
        var words = (ulong*)separator;
        words[0] = _score;
        words[1] = _first;
        words[2] = _second;
        words[3] = _third;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Reaches(TreeNode* node, int place)
    {
        ulong* separator = (ulong*)TreeNode.Separators(node) + place * (nint)WordCount;
        // Scores usually differ: then there is no branch that could be mispredicted.
        bool isBehind = separator[0] < _score;
        if (separator[0] == _score) isBehind = ReachesByMember(separator, node, place);
        return isBehind;
    }

    /// <summary>How many records of a page lie before this position.</summary>
    internal int CountBefore(TreePage* page)
    {
        RecordPage<OrderRecord>.PrefetchColumns(page, ColumnLines);
        int low = ScoreColumn.CountBelow(OrderRecord.Scores(page), page->Count, _score, out int count);
        while (count > 0)
        {
            int half = count >> 1;
            int middle = low + half;
            bool isBefore = CompareMember(page, middle) < 0;
            low = isBefore ? middle + 1 : low;
            count = isBefore ? count - half - 1 : half;
        }
        return low;
    }

    /// <summary>The same, if it is one of the next few from an index on, before which all scores seemed to be
    /// lower; else -1. The index may be any number.</summary>
    internal int CountBefore(TreePage* page, int index)
    {
        if (index < 0) return -1;
        int count = page->Count;
        ulong* scores = OrderRecord.Scores(page);
        if (index > count || (index > 0 && scores[index - 1] >= _score)) return -1;
        for (int end = Math.Min(index + TieCountMax, count); index < end; index++)
        {
            if (Compare(page, index) >= 0) return index;
        }
        return index == count ? count : -1;
    }

    /// <summary>Below 0 where a record lies before this position, 0 where it is this.</summary>
    internal int Compare(TreePage* page, int index)
    {
        int difference = OrderRecord.Scores(page)[index].CompareTo(_score);
        return difference != 0 ? difference : CompareMember(page, index);
    }

    /// <summary>Above 0 where this lies behind all that a separator may begin, below 0 where
    /// before.</summary>
    internal int CompareBeginning(byte* separator)
    {
        var words = (ulong*)separator;
        if (words[0] != _score) return _score.CompareTo(words[0]);
        if (words[1] != _first) return _first.CompareTo(words[1]);
        if (words[2] != _second) return _second.CompareTo(words[2]);
        return _third.CompareTo(words[3]);
    }

    /// <summary>Eight bytes of a member as a number of their order; behind its end are zeroes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Word(ReadOnlySpan<byte> member, int start)
    {
        int left = member.Length - start;
        if (left >= sizeof(ulong)) return BinaryPrimitives.ReadUInt64BigEndian(member[start..]);
        if (left <= 0) return 0;
        if (start == 0) return ShortWord(member);
        // The last eight bytes, without those before the start.
        return BinaryPrimitives.ReadUInt64BigEndian(member[^sizeof(ulong)..]) << (8 * (sizeof(ulong) - left));
    }

    private static ulong ShortWord(ReadOnlySpan<byte> member)
    {
        ulong word = 0;
        foreach (byte value in member) word = (word << 8) | value;
        return word << (8 * (sizeof(ulong) - member.Length));
    }

    private int CompareMember(TreePage* page, int index) =>
        OrderRecord.Member(page, index).SequenceCompareTo(_member);

    private bool ReachesByMember(ulong* separator, TreeNode* node, int place)
    {
        if (separator[1] != _first) return separator[1] < _first;
        if (separator[2] != _second) return separator[2] < _second;
        if (separator[3] != _third) return separator[3] < _third;
        return Compare(TreeNode.FirstPage(node, place), 0) <= 0;
    }
}
