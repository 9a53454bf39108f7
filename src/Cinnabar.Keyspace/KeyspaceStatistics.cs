namespace Cinnabar.Keyspace;

/// <summary>Counters of one loop (or of the slow lane); INFO adds them up. Plain fields: one writer, racy
/// readers.</summary>
public sealed class KeyspaceStatistics
{
    /// <summary>Look-ups that found their key.</summary>
    public long Hits;

    /// <summary>Look-ups that did not.</summary>
    public long Misses;

    /// <summary>Keys removed because their deadline had passed.</summary>
    public long ExpiredKeys;

    /// <summary>Fields of hashes removed because their deadline had passed.</summary>
    public long ExpiredFields;

    /// <summary>Of these, keys that were removed on time, and not because a command found them.</summary>
    public long ReapedKeys;

    /// <summary>Of these, fields that were removed on time.</summary>
    public long ReapedFields;

    /// <summary>Microseconds spent removing keys past their deadline.</summary>
    public long ExpireCycleMicroseconds;

    /// <summary>How often removing them stopped at its limit of time while there was more to do.</summary>
    public long ExpireStops;

    /// <summary>Changes to the data set (Redis's dirty counter).</summary>
    public long Changes;

    /// <summary>Keys removed to make room.</summary>
    public long EvictedKeys;

    /// <summary>Counts a look-up.</summary>
    public void CountLookup(bool isHit)
    {
        if (isHit)
            Hits++;
        else
            Misses++;
    }

    /// <summary>Adds another's counts.</summary>
    public void Add(KeyspaceStatistics other)
    {
        Hits += other.Hits;
        Misses += other.Misses;
        ExpiredKeys += other.ExpiredKeys;
        ExpiredFields += other.ExpiredFields;
        ReapedKeys += other.ReapedKeys;
        ReapedFields += other.ReapedFields;
        ExpireCycleMicroseconds += other.ExpireCycleMicroseconds;
        ExpireStops += other.ExpireStops;
        Changes += other.Changes;
        EvictedKeys += other.EvictedKeys;
    }

    /// <summary>Takes over another's counts.</summary>
    public void CopyFrom(KeyspaceStatistics other)
    {
        (Hits, Misses, ExpiredKeys) = (other.Hits, other.Misses, other.ExpiredKeys);
        (ExpiredFields, ReapedKeys, ReapedFields) =
            (other.ExpiredFields, other.ReapedKeys, other.ReapedFields);
        (ExpireCycleMicroseconds, ExpireStops, Changes) =
            (other.ExpireCycleMicroseconds, other.ExpireStops, other.Changes);
        EvictedKeys = other.EvictedKeys;
    }

    /// <summary>Starts over.</summary>
    public void Clear()
    {
        (Hits, Misses, ExpiredKeys, ExpiredFields, ReapedKeys, ReapedFields) = (0, 0, 0, 0, 0, 0);
        (ExpireCycleMicroseconds, ExpireStops, Changes, EvictedKeys) = (0, 0, 0, 0);
    }
}
