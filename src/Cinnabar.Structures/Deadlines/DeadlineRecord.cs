namespace Cinnabar.Structures.Deadlines;

/// <summary>A deadline as the index remembers it: whose it is, without a pointer to the entry.</summary>
/// <param name="DeadlineMs">Unix time in milliseconds, 0 or later.</param>
/// <param name="Database">The number under which the deadline was added, 0 or higher.</param>
/// <param name="Hash">The 64-bit hash of the key.</param>
public readonly record struct DeadlineRecord(long DeadlineMs, int Database, ulong Hash);
