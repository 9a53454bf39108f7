namespace Cinnabar.Engine.Durability;

/// <summary>What waits for a save.</summary>
internal enum SaveKind
{
    /// <summary>Nothing (BGSAVE, a save point).</summary>
    Background,

    /// <summary>A client (SAVE, FLUSHALL), or the end of the server.</summary>
    Awaited,
}
