namespace Cinnabar.Keyspace.Snapshots;

/// <summary>A database that has keys at a snapshot's moment.</summary>
/// <param name="Number">Its number then.</param>
/// <param name="KeyCount">Its keys, those past their deadline included.</param>
/// <param name="VolatileCount">Those that have a deadline.</param>
public readonly record struct SnapshotDatabase(int Number, long KeyCount, long VolatileCount);
