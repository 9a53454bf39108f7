// What a replica and its master say to each other to find out whether they share a past: the name of the
// stream that a data set came out of, and how far it has come.
//
//   id          names the stream. Whoever begins to write on its own account gives it a new name.
//   offset      bytes of the stream so far; byte number 1 is the first
//   second id   the name that the stream had before, valid up to (not including) the second offset: what was
//               written under it up to there is part of this stream too
//
//   promotion             the stream goes on under a new name; the old one stays valid for the past
//   full synchronisation  the data are the master's: so are name and offset, and nothing before counts
//   a new name of the master (it was promoted): the same as an own promotion, with the name it chose
//
// Limits: one earlier name, as in Redis. A replica that missed two promotions is synchronised from nothing.

namespace Cinnabar.Replication;

/// <summary>The names and the length of a replication stream. Not thread-safe: the owner of the stream guards
/// it.</summary>
public sealed class ReplicationHistory
{
    /// <summary>Digits of a name.</summary>
    public const int IdLength = 40;

    /// <summary>What stands for no name.</summary>
    public const string NoId = "0000000000000000000000000000000000000000";

    /// <summary>Begins a stream.</summary>
    /// <param name="id">Its name: 40 hexadecimal digits.</param>
    public ReplicationHistory(string id)
    {
        AssertId(id);
        Id = id;
    }

    /// <summary>The name.</summary>
    public string Id { get; private set; }

    /// <summary>The name before; <see cref="NoId"/>: there is none.</summary>
    public string SecondId { get; private set; } = NoId;

    /// <summary>The first byte that the second name does not cover; −1: there is no second name.</summary>
    public long SecondOffset { get; private set; } = -1;

    /// <summary>Bytes of the stream so far.</summary>
    public long Offset { get; private set; }

    /// <summary>The stream has grown.</summary>
    public void Advance(long byteCount)
    {
        Debug.Assert(byteCount >= 0, "a stream does not shrink");
        Offset += byteCount;
    }

    /// <summary>The stream goes on under another name: a replica is promoted, or its master was.</summary>
    public void Shift(string id)
    {
        AssertId(id);
        (SecondId, SecondOffset, Id) = (Id, Offset + 1, id);
    }

    /// <summary>Takes over a master's stream, at the place where its data set was taken.</summary>
    public void Adopt(string id, long offset)
    {
        AssertId(id);
        Debug.Assert(offset >= 0, "no place in a stream");
        (Id, Offset) = (id, offset);
        ClearSecond();
    }

    /// <summary>Goes on, under a name of its own, with the stream that stored data came out of.</summary>
    /// <param name="earlierId">Its name.</param>
    /// <param name="offset">Its bytes.</param>
    public void Resume(string earlierId, long offset)
    {
        AssertId(earlierId);
        Debug.Assert(offset >= 0, "no place in a stream");
        Offset = offset;
        (SecondId, SecondOffset) = (earlierId, offset + 1);
    }

    /// <summary>Begins anew under another name: nothing of the past can be asked for.</summary>
    public void Rename(string id)
    {
        AssertId(id);
        Id = id;
        ClearSecond();
    }

    /// <summary>Forgets the name before.</summary>
    public void ClearSecond() => (SecondId, SecondOffset) = (NoId, -1);

    /// <summary>Whether a replica has the same past.</summary>
    /// <param name="id">The name that it knows; letters in any case.</param>
    /// <param name="first">The first byte that it wants.</param>
    public bool Covers(ReadOnlySpan<char> id, long first) =>
        id.Equals(Id, StringComparison.OrdinalIgnoreCase)
        || (id.Equals(SecondId, StringComparison.OrdinalIgnoreCase) && SecondOffset >= 0
            && first <= SecondOffset);

    [Conditional("DEBUG")]
    private static void AssertId(string id) => Debug.Assert(id.Length == IdLength, "not a name of a stream");
}
