namespace Cinnabar.Engine.Durability;

/// <summary>What a server's data are doing at the start. A phase leads only to a later one.</summary>
internal enum LoadPhase
{
    /// <summary>The server has not looked for data yet.</summary>
    None,

    /// <summary>There are data; commands are refused.</summary>
    Waiting,

    /// <summary>They are being loaded.</summary>
    Loading,

    /// <summary>They are loaded, or there are none; commands run.</summary>
    Loaded,

    /// <summary>They cannot be loaded, or the load was stopped; the server ends.</summary>
    Failed,
}
