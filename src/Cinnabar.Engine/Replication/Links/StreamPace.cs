// Whether it pays that loops help to execute batches: that depends on what the commands cost, on how busy the
// loops are, and on the processors, so it is measured. Both ways are tried again and again, the one that was
// slower lately for one batch in ProbeInterval.
//
// A thread that loses its processor makes a batch look many times as expensive. One batch counts for at most
// a few times what was known.

namespace Cinnabar.Engine.Replication.Links;

/// <summary>What commands of a stream have cost lately by the clock, alone and shared. One thread at a
/// time.</summary>
internal sealed class StreamPace
{
    private const int ProbeInterval = 64;
    private const long ShareCount = 8;
    private const long OutlierFactor = 4;

    // In 1/16 nanoseconds.
    private const long Scale = 16;

    private long _alone;
    private long _shared;
    private int _batchCount;

    /// <summary>Nanoseconds of a command that one thread executes alone.</summary>
    public long AloneNs => _alone / Scale;

    /// <summary>Nanoseconds of a command that several threads execute.</summary>
    public long SharedNs => _shared / Scale;

    /// <summary>Whether the next batch is to be shared.</summary>
    public bool ChoosesSharing()
    {
        bool isProbe = ++_batchCount % ProbeInterval == 0;
        bool isCheaper = _shared != 0 && _shared < _alone;
        return isCheaper != isProbe;
    }

    /// <summary>Notes what a batch has cost.</summary>
    /// <param name="isShared">Whether it was shared.</param>
    /// <param name="elapsedNs">What the clock says.</param>
    /// <param name="count">Its commands.</param>
    public void Note(bool isShared, long elapsedNs, int count)
    {
        ref long known = ref isShared ? ref _shared : ref _alone;
        long cost = Math.Max(1, elapsedNs * Scale / count);
        known = known == 0 ? cost : known + ((Math.Min(cost, OutlierFactor * known) - known) / ShareCount);
    }
}
