namespace Cinnabar.Keyspace;

/// <summary>Counts keys and big values whose memory is freed in slices. Thread-safe.</summary>
internal sealed class FreedCounts
{
    private long _detachedCount;
    private long _freedCount;
    private long _unlinkedCount;

    /// <summary>Keys that were cut off and are not free yet.</summary>
    public long DetachedCount => Interlocked.Read(ref _detachedCount);

    /// <summary>Keys and values that are not free yet.</summary>
    public long PendingCount(bool hasGarbage)
    {
        SettleUnlinked(hasGarbage);
        return DetachedCount + Interlocked.Read(ref _unlinkedCount);
    }

    /// <summary>Those that were freed since the last reset.</summary>
    public long FreedCount(bool hasGarbage)
    {
        SettleUnlinked(hasGarbage);
        return Interlocked.Read(ref _freedCount);
    }

    /// <summary>Starts <see cref="FreedCount"/> over.</summary>
    public void Reset(bool hasGarbage)
    {
        SettleUnlinked(hasGarbage);
        Interlocked.Exchange(ref _freedCount, 0);
    }

    /// <summary>A big value was removed: it counts as freed once there is no garbage.</summary>
    public void NoteUnlinked() => Interlocked.Increment(ref _unlinkedCount);

    /// <summary>Keys were cut off.</summary>
    public void NoteDetached(long count) => Interlocked.Add(ref _detachedCount, count);

    /// <summary>Keys that were cut off are free.</summary>
    public void NoteFreed(long count)
    {
        Interlocked.Add(ref _detachedCount, -count);
        Interlocked.Add(ref _freedCount, count);
    }

    /// <summary>Takes keys out of <see cref="FreedCount"/>.</summary>
    public void Uncount(long count) => Interlocked.Add(ref _freedCount, -count);

    /// <summary>Garbage does not name its value: all values count as pending until the last of it is
    /// freed.</summary>
    public void SettleUnlinked(bool hasGarbage)
    {
        if (!hasGarbage && Interlocked.Read(ref _unlinkedCount) != 0)
            Interlocked.Add(ref _freedCount, Interlocked.Exchange(ref _unlinkedCount, 0));
    }
}
