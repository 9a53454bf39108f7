namespace Cinnabar.Keyspace;

/// <summary>Which arguments of a command are a member of a sorted set and a score.</summary>
/// <param name="Member">The member.</param>
/// <param name="Score">Its new score; 0: it keeps the one that it has.</param>
/// <param name="IsIncrement">Whether that is added to the score that it has.</param>
public readonly record struct ScoredArguments(int Member, int Score = 0, bool IsIncrement = false);
