// A position in a NameTree: by owner, then by the name's bytes. Separators have its beginning: the owner and
// the first 24 bytes of the name, filled up with zeroes, as numbers that compare as the bytes do. Where those
// do not decide, the first record of the child's first page does, as in SortedSetTree (OrderKey).
using System.Buffers.Binary;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: separators of a NameTree have Size bytes; pages below its nodes are never empty.
/// <summary>An owner and a name, to be sought.</summary>
internal readonly unsafe ref struct NameKey : ITreeSeeker, ITreeKey
{
    /// <summary>Bytes of a separator.</summary>
    internal const int Size = 32;

    private const int WordCount = Size / sizeof(ulong);

    private readonly ReadOnlySpan<byte> _name;
    private readonly ulong _owner;
    private readonly ulong _first;
    private readonly ulong _second;
    private readonly ulong _third;

    /// <param name="owner">Whose name it is.</param>
    /// <param name="name">Empty to go before all names of this owner.</param>
    internal NameKey(ulong owner, ReadOnlySpan<byte> name)
    {
        _owner = owner;
        _name = name;
        Span<byte> beginning = stackalloc byte[Size - sizeof(ulong)];
        beginning.Clear();
        name[..Math.Min(name.Length, beginning.Length)].CopyTo(beginning);
        _first = BinaryPrimitives.ReadUInt64BigEndian(beginning);
        _second = BinaryPrimitives.ReadUInt64BigEndian(beginning[8..]);
        _third = BinaryPrimitives.ReadUInt64BigEndian(beginning[16..]);
    }

    /// <summary>Writes the separator for what begins here: <see cref="Size"/> bytes.</summary>
    internal void WriteTo(byte* separator)
    {
        var words = (ulong*)separator;
        words[0] = _owner;
        words[1] = _first;
        words[2] = _second;
        words[3] = _third;
    }

    public int PlaceIn(TreeNode* node) => TreeNode.HalveTo(node, in this);

    public bool Reaches(TreeNode* node, int place)
    {
        int difference = CompareBeginning(TreeNode.Separator(node, place));
        return difference != 0 ? difference > 0 : Compare(TreeNode.FirstPage(node, place), 0) >= 0;
    }

    /// <summary>How many records of a page lie before this position.</summary>
    internal int CountBefore(TreePage* page)
    {
        int low = 0;
        int count = page->Count;
        while (count > 0)
        {
            int half = count >> 1;
            bool isBefore = Compare(page, low + half) > 0;
            low = isBefore ? low + half + 1 : low;
            count = isBefore ? count - half - 1 : half;
        }
        return low;
    }

    /// <summary>Above 0 where this lies behind a record, 0 where it is this.</summary>
    internal int Compare(TreePage* page, int index)
    {
        ulong owner = NameRecord.Owners(page)[index];
        if (owner != _owner) return _owner.CompareTo(owner);
        return _name.SequenceCompareTo(NameRecord.Name(page, index));
    }

    /// <summary>Above 0 where this lies behind all that a separator may begin, below 0 where
    /// before.</summary>
    internal int CompareBeginning(byte* separator)
    {
        var words = (ulong*)separator;
        ulong* own = stackalloc ulong[WordCount] { _owner, _first, _second, _third };
        for (int word = 0; word < WordCount; word++)
        {
            if (own[word] != words[word]) return own[word] > words[word] ? 1 : -1;
        }
        return 0;
    }
}
