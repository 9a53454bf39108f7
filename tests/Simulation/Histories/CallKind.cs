namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>The commands that a checked history is made of.</summary>
public enum CallKind
{
    /// <summary>GET of one key.</summary>
    Get,

    /// <summary>SET of one key.</summary>
    Set,

    /// <summary>INCR of one key.</summary>
    Increment,

    /// <summary>DEL of several keys.</summary>
    Delete,

    /// <summary>MGET of several keys.</summary>
    GetMany,

    /// <summary>MSET of several keys.</summary>
    SetMany,

    /// <summary>WATCH of several keys.</summary>
    Watch,
}
