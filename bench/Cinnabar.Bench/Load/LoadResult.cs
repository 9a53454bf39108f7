namespace Cinnabar.Bench.Load;

/// <summary>What a run of the load generator saw: replies counted, the time from its first request to its
/// last reply, its own processor time, and how long each batch took.</summary>
internal sealed record LoadResult(long OperationCount, double Seconds, double CpuSeconds,
    LatencyHistogram Latency)
{
    /// <summary>Operations per second.</summary>
    public double Rate => OperationCount / Seconds;

    /// <summary>Processor time that the load generator itself spent on an operation, in
    /// microseconds.</summary>
    public double CpuMicrosecondsPerOperation => CpuSeconds * 1e6 / OperationCount;
}
