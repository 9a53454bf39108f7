namespace Cinnabar.Load;

/// <summary>What one thread of a load did: the time it ran and the processor time it took, in seconds, and
/// the share of its time, 0 … 1, in which it did anything but wait.</summary>
public sealed record ThreadResult(double Seconds, double CpuSeconds, double BusyShare);
