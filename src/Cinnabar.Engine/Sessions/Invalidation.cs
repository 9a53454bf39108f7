using Cinnabar.Memory;

namespace Cinnabar.Engine.Sessions;

/// <summary>An invalidation on its way to a session.</summary>
internal unsafe struct Invalidation
{
    /// <summary>What it says.</summary>
    public InvalidationKind Kind;

    /// <summary>Whether the session gets it for another one.</summary>
    public bool IsRedirected;

    /// <summary>The keys, encoded; one reference belongs to this.</summary>
    public SharedBlock* Block;

    /// <summary>Number of these bytes.</summary>
    public int Length;

    /// <summary>The session that has gone.</summary>
    public long RedirectId;
}
