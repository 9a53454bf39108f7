namespace Cinnabar.Engine.Observing;

/// <summary>A snapshot of an event's latencies.</summary>
/// <param name="Name">The event.</param>
/// <param name="LongestMs">Its longest spike ever, in milliseconds.</param>
/// <param name="Samples">Its spikes, oldest first; at least one.</param>
internal sealed record LatencyReport(string Name, long LongestMs, LatencySample[] Samples);
