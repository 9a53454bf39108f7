namespace Cinnabar.Keyspace.SortedSets;

/// <summary>What becomes of the scores of a member that several sets have.</summary>
public enum Aggregate : byte
{
    /// <summary>Their sum.</summary>
    Sum,

    /// <summary>The lowest.</summary>
    Min,

    /// <summary>The highest.</summary>
    Max,
}
