namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>What becomes of keys of a file whose deadline has passed.</summary>
public enum DueKeys
{
    /// <summary>They are not loaded.</summary>
    Dropped,

    /// <summary>They are loaded: commands that follow may refer to them, or a master will remove
    /// them.</summary>
    Kept,

    /// <summary>They are loaded, and removed afterwards, so that it is recorded; they count as
    /// expired.</summary>
    Removed,
}
