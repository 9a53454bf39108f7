namespace Cinnabar.Keyspace.SortedSets;

/// <summary>One end of a range of members of equal scores, in the order of their bytes.</summary>
public readonly ref struct LexBound(LexBoundKind kind, ReadOnlySpan<byte> member)
{
    /// <summary>Where the range ends.</summary>
    public LexBoundKind Kind { get; } = kind;

    /// <summary>The member that <see cref="Kind"/> refers to, if it does.</summary>
    public ReadOnlySpan<byte> Member { get; } = member;
}
