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

    /// <summary>LPUSH to one key.</summary>
    PushHead,

    /// <summary>RPUSH to one key.</summary>
    PushTail,

    /// <summary>LPOP of one key.</summary>
    PopHead,

    /// <summary>RPOP of one key.</summary>
    PopTail,

    /// <summary>BLPOP of one or two keys.</summary>
    WaitHead,

    /// <summary>BRPOP of one or two keys.</summary>
    WaitTail,

    /// <summary>LMOVE from the head of a key to the tail of another.</summary>
    Move,

    /// <summary>BLMOVE from the head of a key to the tail of another.</summary>
    WaitMove,

    /// <summary>COPY of a key to another, replacing it.</summary>
    CopyList,

    /// <summary>LRANGE of a whole list.</summary>
    List,
}
