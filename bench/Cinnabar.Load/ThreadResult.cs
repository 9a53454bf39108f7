namespace Cinnabar.Load;

/// <summary>The figures of one thread of a load: the time it ran and the processor time it took, in seconds;
/// the share of its time, 0 … 1, in which it did anything but wait; and the share in which it could have gone
/// on, but others had its core (0 where the system does not say).</summary>
public sealed record ThreadResult(double Seconds, double CpuSeconds, double BusyShare, double CoreWaitShare);
