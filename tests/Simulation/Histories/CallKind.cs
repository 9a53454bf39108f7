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

    /// <summary>LREM of a value, wherever it is.</summary>
    RemoveValue,

    /// <summary>LINSERT of the second value before the first.</summary>
    InsertBefore,

    /// <summary>SORT of a key, with STORE to another.</summary>
    StoreSorted,

    /// <summary>SADD or ZADD of one key.</summary>
    AddMembers,

    /// <summary>SREM or ZREM of one member of one key.</summary>
    RemoveMember,

    /// <summary>ZREMRANGEBYSCORE from the first value to the second.</summary>
    RemoveRange,

    /// <summary>SMOVE of one member from a key to another.</summary>
    MoveMember,

    /// <summary>SPOP of one key.</summary>
    PopAny,

    /// <summary>ZPOPMIN of one key.</summary>
    PopLowest,

    /// <summary>ZPOPMAX of one key.</summary>
    PopHighest,

    /// <summary>BZPOPMIN of one or two keys.</summary>
    WaitLowest,

    /// <summary>BZPOPMAX of one or two keys.</summary>
    WaitHighest,

    /// <summary>SUNIONSTORE or ZUNIONSTORE: to the first key, of both.</summary>
    StoreUnion,

    /// <summary>SMEMBERS or ZRANGE of a whole key.</summary>
    Members,
}
