namespace Cinnabar.Bench.Load;

/// <summary>What the requests of a plan are about: how many keys there are, how large their values are, in
/// bytes, and how many requests are built ahead before they repeat.</summary>
internal sealed record Workload(long KeyCount, int ValueSize, int PlannedCount);
