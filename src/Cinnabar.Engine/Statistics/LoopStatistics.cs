using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Statistics;

/// <summary>Counters of one loop; INFO adds them up. Plain fields: one writer; readers may see values a
/// moment old.</summary>
internal sealed class LoopStatistics
{
    /// <summary>What the loop has counted in the key space.</summary>
    public KeyspaceStatistics Keyspace { get; } = new();

    /// <summary>Turns run.</summary>
    public long TurnCount;

    /// <summary>Microseconds that the turns took.</summary>
    public long TurnUs;

    /// <summary>Of these, the cron's.</summary>
    public long CronUs;

    /// <summary>The longest turn, in microseconds.</summary>
    public long TurnUsMax;

    /// <summary>The most commands of a turn.</summary>
    public long TurnCommandCountMax;

    /// <summary>Commands executed.</summary>
    public long CommandCount;

    /// <summary>Receptions of bytes.</summary>
    public long ReadCount;

    /// <summary>Sends of bytes.</summary>
    public long WriteCount;

    public long BytesReceived;

    public long BytesSent;

    /// <summary>Bytes received from the master, of those received.</summary>
    public long MasterBytesReceived;

    /// <summary>Bytes sent to replicas, of those sent.</summary>
    public long ReplicaBytesSent;

    /// <summary>Batches whose keys were looked for ahead of their commands.</summary>
    public long PrefetchBatchCount;

    /// <summary>The entries that were prefetched then.</summary>
    public long PrefetchEntryCount;

    /// <summary>Sessions closed because of <c>client-query-buffer-limit</c>.</summary>
    public long QueryBufferCloseCount;

    /// <summary>Sessions closed because of <c>client-output-buffer-limit</c>.</summary>
    public long OutputBufferCloseCount;

    /// <summary>Per command, by its identifier.</summary>
    public readonly CommandStatistics[] Commands = new CommandStatistics[CommandTable.IdCount];

    private long _turnStartUs;
    private long _turnStartCommandCount;

    public void BeginTurn(long nowUs)
    {
        _turnStartUs = nowUs;
        _turnStartCommandCount = CommandCount;
    }

    public void EndTurn(long nowUs)
    {
        TurnCount++;
        CountTurnTime(nowUs - _turnStartUs);
        TurnCommandCountMax = Math.Max(TurnCommandCountMax, CommandCount - _turnStartCommandCount);
    }

    /// <summary>The keys of a batch were looked up ahead, and so many entries prefetched.</summary>
    public void CountPrefetch(int entryCount)
    {
        PrefetchBatchCount += entryCount > 0 ? 1 : 0;
        PrefetchEntryCount += entryCount;
    }

    /// <summary>The cron has run within the turn.</summary>
    public void CountCronTime(long us)
    {
        CronUs += Math.Max(us, 0);
        CountTurnTime(us);
    }

    // The clock is the wall's: it may be set back.
    private void CountTurnTime(long us)
    {
        TurnUs += Math.Max(us, 0);
        TurnUsMax = Math.Max(TurnUsMax, us);
    }
}
