namespace Cinnabar.Engine.Sessions;

/// <summary>What an invalidation says.</summary>
internal enum InvalidationKind : byte
{
    /// <summary>These keys have changed.</summary>
    Keys,

    /// <summary>All keys may have changed.</summary>
    All,

    /// <summary>The session that got the invalidations has gone.</summary>
    RedirectBroken,
}
