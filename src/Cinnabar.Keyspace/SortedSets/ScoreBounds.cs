namespace Cinnabar.Keyspace.SortedSets;

/// <summary>A range of scores.</summary>
/// <param name="Min">The lower bound, not NaN.</param>
/// <param name="IsMinExclusive">Whether scores equal to it lie outside.</param>
/// <param name="Max">The upper bound, not NaN.</param>
/// <param name="IsMaxExclusive">Whether scores equal to it lie outside.</param>
public readonly record struct ScoreBounds(double Min, bool IsMinExclusive, double Max, bool IsMaxExclusive);
