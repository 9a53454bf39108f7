namespace Cinnabar.Engine.Scripts;

/// <summary>What a script's first line says about it.</summary>
[Flags]
internal enum ScriptFlags
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>It writes nothing.</summary>
    NoWrites = 1 << 0,

    /// <summary>It runs while memory is over the limit.</summary>
    AllowOom = 1 << 1,

    /// <summary>It runs on a replica that has lost its master.</summary>
    AllowStale = 1 << 2,

    /// <summary>It does not run in a cluster.</summary>
    NoCluster = 1 << 3,

    /// <summary>Its keys may be of several slots of a cluster.</summary>
    AllowCrossSlotKeys = 1 << 4,
}
