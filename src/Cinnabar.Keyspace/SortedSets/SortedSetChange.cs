namespace Cinnabar.Keyspace.SortedSets;

/// <summary>What setting a member's score has changed.</summary>
public enum SortedSetChange : byte
{
    /// <summary>It had this score.</summary>
    None,

    /// <summary>It had another score.</summary>
    Updated,

    /// <summary>It was not there.</summary>
    Added,
}
