namespace Cinnabar.Engine.Observing;

/// <summary>The longest spike of an event within a second.</summary>
/// <param name="UnixSeconds">The second.</param>
/// <param name="LatencyMs">The spike in milliseconds.</param>
internal readonly record struct LatencySample(long UnixSeconds, long LatencyMs);
