namespace Cinnabar.Keyspace.SortedSets;

/// <summary>Neighbours in the order of a sorted set.</summary>
/// <param name="First">The rank of the lowest, from 0; says nothing where there is none.</param>
/// <param name="Count">How many there are; 0 or more.</param>
public readonly record struct RankRange(long First, long Count)
{
    /// <summary>The rank behind the highest.</summary>
    public long End => First + Count;
}
