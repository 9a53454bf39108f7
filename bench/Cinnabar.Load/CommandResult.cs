namespace Cinnabar.Load;

/// <summary>The latencies of one command of a load.</summary>
public sealed record CommandResult(string Name, LatencyHistogram Latency);
