namespace Cinnabar.Keyspace.SortedSets;

/// <summary>What came of giving a member a score.</summary>
public enum SortedSetChange : byte
{
    /// <summary>It had this score.</summary>
    None,

    /// <summary>It had another score.</summary>
    Updated,

    /// <summary>It was not there.</summary>
    Added,
}
