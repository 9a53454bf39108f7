namespace Cinnabar.Tests.Differential.Durability;

/// <summary>What a data set is stored as.</summary>
public enum StoredKind
{
    /// <summary>An RDB file.</summary>
    Snapshot,

    /// <summary>An append-only file whose base is a snapshot.</summary>
    Journal,

    /// <summary>An append-only file of commands alone, as far as the server writes such a base.</summary>
    Commands,
}
