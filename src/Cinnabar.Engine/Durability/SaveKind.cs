namespace Cinnabar.Engine.Durability;

/// <summary>Who waits for a save.</summary>
internal enum SaveKind
{
    /// <summary>Nobody (BGSAVE, a save point).</summary>
    Background,

    /// <summary>A client (SAVE, FLUSHALL), or the end of the server.</summary>
    Awaited,
}
