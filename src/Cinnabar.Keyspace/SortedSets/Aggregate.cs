namespace Cinnabar.Keyspace.SortedSets;

/// <summary>How the scores of a member that several sets have are combined.</summary>
public enum Aggregate : byte
{
    /// <summary>Their sum.</summary>
    Sum,

    /// <summary>The lowest.</summary>
    Min,

    /// <summary>The highest.</summary>
    Max,
}
