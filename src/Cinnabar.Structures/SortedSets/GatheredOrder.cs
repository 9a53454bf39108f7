// The order of a sorted set whose members were gathered in its index: they are sorted and put into the order
// from the lowest to the highest, so that its pages are full.
//
// What is sorted is the score, the first 16 bytes of the member and the address of its record: most ties are
// decided without a look at the record. The memory for that is bounded: half a million members are sorted at
// a time: the first ones fill pages that are made as large as they need to be, those of the second time and
// later go between them, one by one.
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: records stay where they are, since nothing changes the index meanwhile.
/// <summary>Makes the order of a sorted set from its index.</summary>
internal static unsafe class GatheredOrder
{
    /// <summary>The most members that are sorted together: 16 MiB of scratch memory.</summary>
    internal const int RunCountMax = 1 << 19;

    /// <summary>Puts all members of an index into an empty order.</summary>
    /// <param name="source">Where the order's memory comes from.</param>
    /// <param name="run">Room for those that are sorted together; not empty where the index is not.</param>
    /// <param name="order">The order.</param>
    /// <param name="index">The index.</param>
    internal static void Make(TreeSource source, Span<Entry> run, ref PageTree order, in HashPages index)
    {
        Debug.Assert(order.Count == 0, "the order is made once");
        Debug.Assert(!run.IsEmpty || index.Count == 0, "there is room to sort in");
        int count = 0;
        HashFieldEnumerator members = index.GetEnumerator();
        while (members.MoveNext())
        {
            run[count++] = new Entry(members.Record);
            if (count == run.Length)
            {
                Add(source, ref order, run);
                count = 0;
            }
        }
        Add(source, ref order, run[..count]);
    }

    private static void Add(TreeSource source, ref PageTree order, Span<Entry> members)
    {
        members.Sort(static (left, right) => left.CompareTo(in right));
        if (order.Count == 0)
        {
            AddPages(source, ref order, members);
            return;
        }
        foreach (ref readonly Entry member in members)
        {
            SortedSetOrder.Insert(source, ref order, new ScoredMember(member.Score, member.Member));
        }
    }

    private static void AddPages(TreeSource source, ref PageTree order, ReadOnlySpan<Entry> members)
    {
        byte* separator = stackalloc byte[OrderKey.Size];
        while (!members.IsEmpty)
        {
            int count = CountOfPage(members, out long recordBytes);
            int room = RecordPage<OrderRecord>.RoomFor(count, recordBytes);
            TreePage* page = source.NewPage(order.Home, room);
            for (int index = 0; index < count; index++)
            {
                SortedSetOrder.Write(page, index, members[index].Score, members[index].Member);
            }
            SortedSetOrder.KeyOf(page, 0).WriteTo(separator);
            order.Append(source, page, separator);
            members = members[count..];
        }
    }

    // How many of the first members a page takes, at least one, and the bytes of their records.
    private static int CountOfPage(ReadOnlySpan<Entry> members, out long recordBytes)
    {
        recordBytes = 0;
        for (int count = 0; count < members.Length; count++)
        {
            long more = recordBytes + OrderRecord.SizeFor(members[count].Member);
            int room = RecordPage<OrderRecord>.RoomFor(count + 1, more);
            if (count > 0 && room > RecordPage<OrderRecord>.UsedMax) return count;
            recordBytes = more;
        }
        return members.Length;
    }

    /// <summary>A member that is sorted.</summary>
    internal readonly struct Entry
    {
        private readonly ulong _first;
        private readonly ulong _second;
        private readonly byte* _record;

        internal Entry(byte* record)
        {
            HashField field = HashRecord.Read(record);
            Score = SortedSetTree.ScoreOf(in field);
            _first = OrderKey.Word(field.Member, 0);
            _second = OrderKey.Word(field.Member, sizeof(ulong));
            _record = record;
        }

        internal double Score { get; }

        internal ReadOnlySpan<byte> Member => HashRecord.Member(_record);

        // The two zeroes are equal, and no score is NaN.
        internal int CompareTo(in Entry other)
        {
            if (Score != other.Score) return Score < other.Score ? -1 : 1;
            if (_first != other._first) return _first < other._first ? -1 : 1;
            if (_second != other._second) return _second < other._second ? -1 : 1;
            return Member.SequenceCompareTo(other.Member);
        }
    }
}
