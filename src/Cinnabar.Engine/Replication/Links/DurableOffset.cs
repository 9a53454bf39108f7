using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Journaling;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Up to which offset of its master's stream the replica's append-only file is on disk: one offset
/// at a time is followed, with the place in the journal behind it, until that is durable. Of one connection,
/// by the link's thread.</summary>
/// <param name="data">The replica's files.</param>
internal sealed class DurableOffset(DataFiles data)
{
    private const long None = -1;

    private readonly DataFiles _data = data;
    private long _known = None;
    private long _followed = None;
    private long _position;

    /// <summary>The offset that is known to be durable; −1: none, or there is no file, or not yet one that
    /// has everything.</summary>
    /// <param name="applied">The offset of what has been applied, and so recorded, by now.</param>
    public long Look(long applied)
    {
        ServerJournal journal = _data.Journal;
        if (!journal.IsOn || _data.Rewrites.IsFirstUnderWay)
            return _known = _followed = None;
        if (_followed == None)
            (_followed, _position) = (applied, journal.Tail);
        if (journal.FlushedPosition < _position)
            return _known;
        (_known, _followed) = (_followed, None);
        return _known;
    }
}
