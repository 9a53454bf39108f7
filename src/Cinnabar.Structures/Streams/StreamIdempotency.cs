namespace Cinnabar.Structures.Streams;

/// <summary>An entry that a producer added, and what the stream remembers of its others.</summary>
/// <param name="Entry">The entry's ID.</param>
/// <param name="NowMs">When it was added, Unix milliseconds.</param>
/// <param name="SinceMs">What was added before is forgotten.</param>
/// <param name="CountMax">How many of the producer's IDs are remembered.</param>
public readonly record struct StreamIdempotency(StreamId Entry, long NowMs, long SinceMs, long CountMax);
