namespace Cinnabar.Keyspace.Candidates;

/// <summary>A key that may be evicted, as it was when it was looked at. Entries move and die, so it is found
/// again by its hash.</summary>
/// <param name="Hash">The hash of the key.</param>
/// <param name="Table">The identity of its table.</param>
/// <param name="Mark">What the score was computed from: if that has changed since, the score is
/// wrong.</param>
/// <param name="Score">The higher, the sooner it goes; never 0.</param>
internal readonly record struct EvictionCandidate(ulong Hash, int Table, ulong Mark, ulong Score);
