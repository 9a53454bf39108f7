namespace Cinnabar.Engine.Statistics;

/// <summary>The counters of all loops added up, at an instant.</summary>
internal readonly record struct StatisticsTotals
{
    /// <summary>Commands executed.</summary>
    public long CommandCount { get; init; }

    /// <summary>Receptions of bytes from clients.</summary>
    public long ReadCount { get; init; }

    /// <summary>Sends of bytes to clients.</summary>
    public long WriteCount { get; init; }

    public long BytesReceived { get; init; }

    public long BytesSent { get; init; }

    /// <summary>Bytes received from the master, of those received.</summary>
    public long MasterBytesReceived { get; init; }

    /// <summary>Bytes sent to replicas, of those sent.</summary>
    public long ReplicaBytesSent { get; init; }

    /// <summary>Look-ups of keys that were there.</summary>
    public long HitCount { get; init; }

    /// <summary>Look-ups of keys that were not.</summary>
    public long MissCount { get; init; }

    /// <summary>Keys removed at their deadline.</summary>
    public long ExpiredCount { get; init; }

    /// <summary>Fields of hashes removed at theirs.</summary>
    public long ExpiredFieldCount { get; init; }

    /// <summary>Expired keys that housekeeping removed, not a command.</summary>
    public long ReapedCount { get; init; }

    /// <summary>Fields of hashes, likewise.</summary>
    public long ReapedFieldCount { get; init; }

    /// <summary>Keys evicted.</summary>
    public long EvictedCount { get; init; }

    /// <summary>Batches whose keys were looked for ahead of their commands.</summary>
    public long PrefetchBatchCount { get; init; }

    /// <summary>The entries that were prefetched then.</summary>
    public long PrefetchEntryCount { get; init; }

    /// <summary>Microseconds spent removing keys and fields.</summary>
    public long ExpireUs { get; init; }

    /// <summary>How often that reached its time limit with more to do.</summary>
    public long ExpireStopCount { get; init; }

    /// <summary>Turns of the loops.</summary>
    public long TurnCount { get; init; }

    /// <summary>Microseconds that they took.</summary>
    public long TurnUs { get; init; }

    /// <summary>Of these, the cron's.</summary>
    public long CronUs { get; init; }

    /// <summary>Clients closed for what they had sent (<c>client-query-buffer-limit</c>).</summary>
    public long QueryBufferCloseCount { get; init; }

    /// <summary>Clients closed for what they had not taken (<c>client-output-buffer-limit</c>).</summary>
    public long OutputBufferCloseCount { get; init; }

    /// <summary>Adds up the counters of all loops.</summary>
    public static StatisticsTotals Of(ReadOnlySpan<LoopStatistics> loops)
    {
        StatisticsTotals sum = default;
        foreach (LoopStatistics one in loops)
        {
            KeyspaceStatistics keys = one.Keyspace;
            sum = new StatisticsTotals
            {
                CommandCount = sum.CommandCount + one.CommandCount,
                ReadCount = sum.ReadCount + one.ReadCount,
                WriteCount = sum.WriteCount + one.WriteCount,
                BytesReceived = sum.BytesReceived + one.BytesReceived,
                BytesSent = sum.BytesSent + one.BytesSent,
                MasterBytesReceived = sum.MasterBytesReceived + one.MasterBytesReceived,
                ReplicaBytesSent = sum.ReplicaBytesSent + one.ReplicaBytesSent,
                HitCount = sum.HitCount + keys.Hits,
                MissCount = sum.MissCount + keys.Misses,
                EvictedCount = sum.EvictedCount + keys.EvictedKeys,
                ExpiredCount = sum.ExpiredCount + keys.ExpiredKeys,
                ExpiredFieldCount = sum.ExpiredFieldCount + keys.ExpiredFields,
                ReapedCount = sum.ReapedCount + keys.ReapedKeys,
                ReapedFieldCount = sum.ReapedFieldCount + keys.ReapedFields,
                PrefetchBatchCount = sum.PrefetchBatchCount + one.PrefetchBatchCount,
                PrefetchEntryCount = sum.PrefetchEntryCount + one.PrefetchEntryCount,
                ExpireUs = sum.ExpireUs + keys.ExpireCycleMicroseconds,
                ExpireStopCount = sum.ExpireStopCount + keys.ExpireStops,
                TurnCount = sum.TurnCount + one.TurnCount,
                TurnUs = sum.TurnUs + one.TurnUs,
                CronUs = sum.CronUs + one.CronUs,
                QueryBufferCloseCount = sum.QueryBufferCloseCount + one.QueryBufferCloseCount,
                OutputBufferCloseCount = sum.OutputBufferCloseCount + one.OutputBufferCloseCount,
            };
        }

        return sum;
    }

    /// <summary>What was counted since an earlier instant.</summary>
    public StatisticsTotals Since(in StatisticsTotals earlier) => new()
    {
        CommandCount = CommandCount - earlier.CommandCount,
        ReadCount = ReadCount - earlier.ReadCount,
        WriteCount = WriteCount - earlier.WriteCount,
        BytesReceived = BytesReceived - earlier.BytesReceived,
        BytesSent = BytesSent - earlier.BytesSent,
        MasterBytesReceived = MasterBytesReceived - earlier.MasterBytesReceived,
        ReplicaBytesSent = ReplicaBytesSent - earlier.ReplicaBytesSent,
        HitCount = HitCount - earlier.HitCount,
        MissCount = MissCount - earlier.MissCount,
        EvictedCount = EvictedCount - earlier.EvictedCount,
        ExpiredCount = ExpiredCount - earlier.ExpiredCount,
        ExpiredFieldCount = ExpiredFieldCount - earlier.ExpiredFieldCount,
        ReapedCount = ReapedCount - earlier.ReapedCount,
        ReapedFieldCount = ReapedFieldCount - earlier.ReapedFieldCount,
        PrefetchBatchCount = PrefetchBatchCount - earlier.PrefetchBatchCount,
        PrefetchEntryCount = PrefetchEntryCount - earlier.PrefetchEntryCount,
        ExpireUs = ExpireUs - earlier.ExpireUs,
        ExpireStopCount = ExpireStopCount - earlier.ExpireStopCount,
        TurnCount = TurnCount - earlier.TurnCount,
        TurnUs = TurnUs - earlier.TurnUs,
        CronUs = CronUs - earlier.CronUs,
        QueryBufferCloseCount = QueryBufferCloseCount - earlier.QueryBufferCloseCount,
        OutputBufferCloseCount = OutputBufferCloseCount - earlier.OutputBufferCloseCount,
    };
}
