// Up to some hundred members with their scores: how the result of a command begins before it is known whether
// it will be big. A tree would take four blocks of memory for two members, and some thirty for a hundred, and
// give them back at once.
//
//   entries   score, place and length of the member's text     as they came; in order when they are read
//   texts     one behind the other as they came
//   slots     numbers of entries by the hash of their texts; used from the ninth member on
//
// Entries and texts grow to their limits and stay. A listpack would not do: it makes 0 of the negative zero,
// which a reply shows.
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>A sorted set of not many members in memory that is used again.</summary>
internal sealed class SmallResult
{
    /// <summary>The most members.</summary>
    public const int CountMax = 512;

    /// <summary>The most bytes of all texts that came.</summary>
    public const int TextBytesMax = 16 * 1024;

    private const int WalkedCountMax = 8;
    private const int SlotCount = 2 * CountMax;
    private const int HashShift = 64 - 10;

    private readonly Comparison<PlacedMember> _compare;
    private PlacedMember[] _entries = new PlacedMember[2 * WalkedCountMax];
    private byte[] _texts = new byte[32 * WalkedCountMax];
    private ushort[] _slots = []; // number of an entry + 1; 0: none
    private int _textBytes;
    private bool _isOrdered;

    public SmallResult() => _compare = Compare;

    /// <summary>Whether a result is being gathered here.</summary>
    public bool IsInUse { get; private set; }

    /// <summary>Number of members.</summary>
    public int Count { get; private set; }

    /// <summary>Begins a result.</summary>
    public void Begin()
    {
        Debug.Assert(!IsInUse, "another result is gathered here");
        (IsInUse, Count, _textBytes, _isOrdered) = (true, 0, 0, false);
    }

    /// <summary>Another result may begin.</summary>
    public void End() => IsInUse = false;

    /// <summary>The member with a number, 0 to Count - 1: its rank once they are in order.</summary>
    public ReadOnlySpan<byte> Member(int number) => TextOf(in _entries[number]);

    public double Score(int number) => _entries[number].Score;

    /// <summary>Puts the members into an empty set that is gathered.</summary>
    public void GatherIn(TreeSource trees, ref SortedSetTree tree) =>
        tree.Gather(trees, _entries.AsSpan(0, Count), _texts);

    /// <summary>The number of a member before they are in order; -1: it is not there.</summary>
    public int Find(ReadOnlySpan<byte> member)
    {
        Debug.Assert(IsInUse && !_isOrdered, "numbers have become ranks");
        if (Count > WalkedCountMax)
            return _slots[SlotOf(member)] - 1;
        for (int number = 0; number < Count; number++)
        {
            if (Member(number).SequenceEqual(member))
                return number;
        }

        return -1;
    }

    /// <summary>Whether a member has room that is not there yet.</summary>
    public bool HasRoomFor(ReadOnlySpan<byte> member) =>
        Count < CountMax && member.Length <= TextBytesMax - _textBytes;

    /// <summary>Adds a member that is not there and has room.</summary>
    public void Add(ReadOnlySpan<byte> member, double score)
    {
        Debug.Assert(HasRoomFor(member) && Find(member) < 0, "a member that does not fit");
        while (_texts.Length - _textBytes < member.Length)
            Array.Resize(ref _texts, 2 * _texts.Length);
        if (Count == _entries.Length)
            Array.Resize(ref _entries, 2 * Count);
        member.CopyTo(_texts.AsSpan(_textBytes));
        _entries[Count++] = new PlacedMember(score, _textBytes, member.Length);
        _textBytes += member.Length;
        if (Count == WalkedCountMax + 1)
            FillSlots();
        else if (Count > WalkedCountMax)
            _slots[SlotOf(member)] = (ushort)Count;
    }

    /// <summary>Gives the member with a number another score.</summary>
    public void Change(int number, double score) =>
        _entries[number] = _entries[number] with { Score = score };

    /// <summary>Puts the members in order, by score, then by their bytes. None can be added
    /// afterwards.</summary>
    public void Order()
    {
        if (_isOrdered)
            return;
        _isOrdered = true;
        // Members often come in order.
        for (int number = 1; number < Count; number++)
        {
            if (Compare(_entries[number - 1], _entries[number]) > 0)
            {
                _entries.AsSpan(0, Count).Sort(_compare);
                return;
            }
        }
    }

    private void FillSlots()
    {
        if (_slots.Length == 0)
            _slots = new ushort[SlotCount];
        _slots.AsSpan().Clear();
        for (int number = 0; number < Count; number++)
            _slots[SlotOf(Member(number))] = (ushort)(number + 1);
    }

    // Where the member is, or would be.
    private int SlotOf(ReadOnlySpan<byte> member)
    {
        int slot = (int)(SampledHash.Of(member) >> HashShift);
        while (_slots[slot] != 0 && !Member(_slots[slot] - 1).SequenceEqual(member))
            slot = (slot + 1) % SlotCount;
        return slot;
    }

    private ReadOnlySpan<byte> TextOf(in PlacedMember entry) => _texts.AsSpan(entry.Place, entry.Length);

    private int Compare(PlacedMember left, PlacedMember right) =>
        left.Score != right.Score ? left.Score < right.Score ? -1 : 1
            : TextOf(in left).SequenceCompareTo(TextOf(in right));
}
