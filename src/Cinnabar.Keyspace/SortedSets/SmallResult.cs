// A few members with their scores, in order: how the result of a command begins, before it is known whether
// it will be big. A tree would take four blocks of memory for two members and give them back at once.
//
//   entries   score, place and length of the member's text     by score, then by the texts
//   texts     one behind the other as they came
//
// A listpack would not do: it makes 0 of the negative zero, which a reply shows.

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>A sorted set of few members in memory that is used again.</summary>
internal sealed class SmallResult
{
    /// <summary>The most members.</summary>
    public const int CountMax = 32;

    /// <summary>The most bytes of all texts that came.</summary>
    public const int TextBytesMax = 2048;

    private readonly Entry[] _entries = new Entry[CountMax];
    private readonly byte[] _texts = new byte[TextBytesMax];
    private int _textBytes;

    /// <summary>Whether a result is being gathered here.</summary>
    public bool IsInUse { get; private set; }

    /// <summary>Number of members.</summary>
    public int Count { get; private set; }

    /// <summary>Begins a result.</summary>
    public void Begin()
    {
        Debug.Assert(!IsInUse, "another result is gathered here");
        (IsInUse, Count, _textBytes) = (true, 0, 0);
    }

    /// <summary>Another result may begin.</summary>
    public void End() => IsInUse = false;

    /// <summary>The member of a rank, 0 to Count - 1.</summary>
    public ReadOnlySpan<byte> Member(int rank) => _texts.AsSpan(_entries[rank].Place, _entries[rank].Length);

    public double Score(int rank) => _entries[rank].Score;

    /// <summary>The rank of a member; -1: it is not there.</summary>
    public int Find(ReadOnlySpan<byte> member)
    {
        for (int rank = 0; rank < Count; rank++)
        {
            if (_entries[rank].Length == member.Length && Member(rank).SequenceEqual(member))
                return rank;
        }

        return -1;
    }

    /// <summary>Whether a member has room that is not there yet.</summary>
    public bool HasRoomFor(ReadOnlySpan<byte> member) =>
        Count < CountMax && member.Length <= TextBytesMax - _textBytes;

    /// <summary>Adds a member that is not there and has room.</summary>
    public void Add(ReadOnlySpan<byte> member, double score)
    {
        Debug.Assert(IsInUse && HasRoomFor(member) && Find(member) < 0, "a member that does not fit");
        member.CopyTo(_texts.AsSpan(_textBytes));
        var entry = new Entry(score, _textBytes, member.Length);
        _textBytes += member.Length;
        Insert(in entry);
    }

    /// <summary>Gives the member of a rank another score.</summary>
    public void Change(int rank, double score)
    {
        Entry entry = _entries[rank] with { Score = score };
        Array.Copy(_entries, rank + 1, _entries, rank, Count - rank - 1);
        Count--;
        Insert(in entry);
    }

    private void Insert(in Entry entry)
    {
        ReadOnlySpan<byte> member = _texts.AsSpan(entry.Place, entry.Length);
        int rank = Count;
        // Members often come in order.
        for (; rank > 0 && IsBehind(rank - 1, entry.Score, member); rank--)
            _entries[rank] = _entries[rank - 1];
        _entries[rank] = entry;
        Count++;
    }

    private bool IsBehind(int rank, double score, ReadOnlySpan<byte> member)
    {
        double other = Score(rank);
        return other != score ? other > score : Member(rank).SequenceCompareTo(member) > 0;
    }

    private readonly record struct Entry(double Score, int Place, int Length);
}
