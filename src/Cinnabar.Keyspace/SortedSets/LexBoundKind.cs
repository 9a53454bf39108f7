namespace Cinnabar.Keyspace.SortedSets;

/// <summary>Where a range of members begins or ends.</summary>
public enum LexBoundKind : byte
{
    /// <summary>Before all members.</summary>
    Lowest,

    /// <summary>At a member, which lies in the range.</summary>
    Inclusive,

    /// <summary>At a member, which lies outside.</summary>
    Exclusive,

    /// <summary>Behind all members.</summary>
    Highest,
}
