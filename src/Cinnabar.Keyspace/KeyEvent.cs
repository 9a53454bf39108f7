namespace Cinnabar.Keyspace;

/// <summary>What happened to a key: the keyspace events of Redis.</summary>
public enum KeyEvent : byte
{
    /// <summary>A string was stored.</summary>
    Set,

    /// <summary>A command removed the key.</summary>
    Deleted,

    /// <summary>The key's deadline passed and it was removed.</summary>
    Expired,

    /// <summary>A deadline was set.</summary>
    Expire,

    /// <summary>The deadline was removed.</summary>
    Persist,

    /// <summary>Bytes were appended.</summary>
    Append,

    /// <summary>Bytes were overwritten.</summary>
    SetRange,

    /// <summary>An integer was added.</summary>
    IncrementBy,

    /// <summary>A floating-point number was added.</summary>
    IncrementByFloat,

    /// <summary>Bits were written.</summary>
    SetBit,

    /// <summary>Fields of a hash were written (hset).</summary>
    HashSet,

    /// <summary>Fields of a hash were removed (hdel).</summary>
    HashDeleted,

    /// <summary>An integer was added to a field (hincrby).</summary>
    HashIncrementBy,

    /// <summary>A floating-point number was added to a field (hincrbyfloat).</summary>
    HashIncrementByFloat,

    /// <summary>Fields of a hash were given deadlines (hexpire).</summary>
    HashExpire,

    /// <summary>Fields of a hash lost their deadlines (hpersist).</summary>
    HashPersist,

    /// <summary>The deadlines of fields passed and they were removed (hexpired).</summary>
    HashExpired,

    /// <summary>Elements were added to a HyperLogLog, or others merged into it.</summary>
    PfAdd,

    /// <summary>The value was rewritten without a visible change, as by caching a count: Redis has no event
    /// for it.</summary>
    Rewritten,

    /// <summary>The result of a SORT was stored.</summary>
    SortStore,

    /// <summary>The result of a GEOSEARCH was stored.</summary>
    GeoSearchStore,

    /// <summary>The result of a GEORADIUS was stored.</summary>
    GeoRadiusStore,

    /// <summary>The key went to another name.</summary>
    RenamedFrom,

    /// <summary>The key came from another name.</summary>
    RenamedTo,

    /// <summary>The key went to another database.</summary>
    MovedFrom,

    /// <summary>The key came from another database.</summary>
    MovedTo,

    /// <summary>The key was made by copying another.</summary>
    CopiedTo,

    /// <summary>The key was made from a dump.</summary>
    Restored,

    /// <summary>Elements were added at the head of a list.</summary>
    LPush,

    /// <summary>Elements were added at the tail of a list.</summary>
    RPush,

    /// <summary>Elements were taken from the head of a list.</summary>
    LPop,

    /// <summary>Elements were taken from the tail of a list.</summary>
    RPop,

    /// <summary>An element was put beside another in a list.</summary>
    LInsert,

    /// <summary>An element of a list got another value.</summary>
    LSet,

    /// <summary>Elements with a value were removed from a list.</summary>
    LRem,

    /// <summary>A list was cut to a range.</summary>
    LTrim,

    /// <summary>Members were added to a sorted set, or got other scores.</summary>
    ZAdd,

    /// <summary>A score was increased.</summary>
    ZIncr,

    /// <summary>Members were removed from a sorted set.</summary>
    ZRem,

    /// <summary>A range of ranks was removed from a sorted set.</summary>
    ZRemRangeByRank,

    /// <summary>A range of scores was removed from a sorted set.</summary>
    ZRemRangeByScore,

    /// <summary>A range of members was removed from a sorted set.</summary>
    ZRemRangeByLex,

    /// <summary>The lowest members of a sorted set were taken.</summary>
    ZPopMin,

    /// <summary>The highest members of a sorted set were taken.</summary>
    ZPopMax,

    /// <summary>A union was stored.</summary>
    ZUnionStore,

    /// <summary>An intersection was stored.</summary>
    ZInterStore,

    /// <summary>A difference was stored.</summary>
    ZDiffStore,

    /// <summary>A range was stored.</summary>
    ZRangeStore,

    /// <summary>Members were added to a set.</summary>
    SAdd,

    /// <summary>Members were removed from a set.</summary>
    SRem,

    /// <summary>Members were taken from a set.</summary>
    SPop,

    /// <summary>An intersection was stored.</summary>
    SInterStore,

    /// <summary>A union was stored.</summary>
    SUnionStore,

    /// <summary>A difference was stored.</summary>
    SDiffStore,

    /// <summary>An entry was added to a stream.</summary>
    StreamAdded,

    /// <summary>Entries were cut off a stream's beginning.</summary>
    StreamTrimmed,

    /// <summary>Entries of a stream were deleted.</summary>
    StreamDeleted,

    /// <summary>A stream's last ID was set.</summary>
    StreamIdSet,

    /// <summary>An empty stream was made, for its first consumer group (xgroup-create).</summary>
    StreamCreated,

    /// <summary>A consumer group was made.</summary>
    GroupCreated,

    /// <summary>The last ID of a consumer group was set.</summary>
    GroupIdSet,

    /// <summary>A consumer group was removed.</summary>
    GroupDestroyed,

    /// <summary>Entries became pending, or have been pending for longer: Redis has no event for it.</summary>
    PendingAged,

    /// <summary>A consumer was made.</summary>
    ConsumerCreated,

    /// <summary>A consumer was removed.</summary>
    ConsumerDeleted,

    /// <summary>The key was removed because memory had run out.</summary>
    Evicted,

    /// <summary>The key did not exist before; comes before the event of the command that made it. This and
    /// those below accompany a change or are none: only subscribers of events get them.</summary>
    New,

    /// <summary>The key's value was replaced as a whole.</summary>
    Overwritten,

    /// <summary>The value that replaced the key's has another type.</summary>
    TypeChanged,

    /// <summary>A command read the key, which does not exist.</summary>
    KeyMiss,
}
