namespace Cinnabar.Keyspace.SortedSets;

/// <summary>A range of members of equal scores.</summary>
public readonly ref struct LexBounds(LexBound min, LexBound max)
{
    /// <summary>The lower end.</summary>
    public LexBound Min { get; } = min;

    /// <summary>The upper end.</summary>
    public LexBound Max { get; } = max;
}
