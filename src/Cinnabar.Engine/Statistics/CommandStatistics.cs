namespace Cinnabar.Engine.Statistics;

/// <summary>Counters of one command on one loop.</summary>
internal struct CommandStatistics
{
    /// <summary>Executions.</summary>
    public long CallCount;

    /// <summary>Nanoseconds spent executing.</summary>
    public long ElapsedNs;

    /// <summary>Refused before execution: wrong arity, no permission.</summary>
    public long RejectedCount;

    /// <summary>Executed, and replied an error.</summary>
    public long FailedCount;

    /// <summary>How long the executions took; made with the first.</summary>
    public LatencyHistogram? Latency;
}
