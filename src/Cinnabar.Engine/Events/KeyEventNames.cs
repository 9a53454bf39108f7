using Cinnabar.Engine.Configuration;

namespace Cinnabar.Engine.Events;

/// <summary>The names and classes of events, as Redis has them.</summary>
internal static class KeyEventNames
{
    /// <summary>The class of an event; none where Redis has no such event.</summary>
    public static KeyspaceEvents ClassOf(KeyEvent keyEvent) => keyEvent switch
    {
        KeyEvent.Set or KeyEvent.Append or KeyEvent.SetRange or KeyEvent.IncrementBy
            or KeyEvent.IncrementByFloat or KeyEvent.SetBit or KeyEvent.PfAdd => KeyspaceEvents.String,
        KeyEvent.Deleted or KeyEvent.Expire or KeyEvent.Persist or KeyEvent.RenamedFrom
            or KeyEvent.RenamedTo or KeyEvent.MovedFrom or KeyEvent.MovedTo or KeyEvent.CopiedTo
            or KeyEvent.Restored => KeyspaceEvents.Generic,
        KeyEvent.Expired => KeyspaceEvents.Expired,
        KeyEvent.HashSet or KeyEvent.HashDeleted or KeyEvent.HashIncrementBy
            or KeyEvent.HashIncrementByFloat or KeyEvent.HashExpire or KeyEvent.HashPersist
            or KeyEvent.HashExpired => KeyspaceEvents.Hash,
        KeyEvent.SortStore or KeyEvent.LPush or KeyEvent.RPush or KeyEvent.LPop or KeyEvent.RPop
            or KeyEvent.LInsert or KeyEvent.LSet or KeyEvent.LRem or KeyEvent.LTrim => KeyspaceEvents.List,
        KeyEvent.GeoSearchStore or KeyEvent.GeoRadiusStore or KeyEvent.ZAdd or KeyEvent.ZIncr
            or KeyEvent.ZRem or KeyEvent.ZRemRangeByRank or KeyEvent.ZRemRangeByScore
            or KeyEvent.ZRemRangeByLex or KeyEvent.ZPopMin or KeyEvent.ZPopMax or KeyEvent.ZUnionStore
            or KeyEvent.ZInterStore or KeyEvent.ZDiffStore or KeyEvent.ZRangeStore
                => KeyspaceEvents.SortedSet,
        KeyEvent.SAdd or KeyEvent.SRem or KeyEvent.SPop or KeyEvent.SInterStore
            or KeyEvent.SUnionStore or KeyEvent.SDiffStore => KeyspaceEvents.Set,
        KeyEvent.StreamAdded or KeyEvent.StreamTrimmed or KeyEvent.StreamDeleted
            or KeyEvent.StreamIdSet or KeyEvent.StreamCreated or KeyEvent.GroupCreated
            or KeyEvent.GroupIdSet or KeyEvent.GroupDestroyed or KeyEvent.ConsumerCreated
            or KeyEvent.ConsumerDeleted => KeyspaceEvents.Stream,
        KeyEvent.Evicted => KeyspaceEvents.Evicted,
        KeyEvent.New => KeyspaceEvents.New,
        KeyEvent.Overwritten => KeyspaceEvents.Overwritten,
        KeyEvent.TypeChanged => KeyspaceEvents.TypeChanged,
        KeyEvent.KeyMiss => KeyspaceEvents.KeyMiss,
        _ => KeyspaceEvents.None,
    };

    /// <summary>The name of an event; empty where Redis has no such event.</summary>
    public static ReadOnlySpan<byte> NameOf(KeyEvent keyEvent) => keyEvent switch
    {
        KeyEvent.Set => "set"u8,
        KeyEvent.Deleted => "del"u8,
        KeyEvent.Expired => "expired"u8,
        KeyEvent.Expire => "expire"u8,
        KeyEvent.Persist => "persist"u8,
        KeyEvent.Append => "append"u8,
        KeyEvent.SetRange => "setrange"u8,
        KeyEvent.IncrementBy => "incrby"u8,
        KeyEvent.IncrementByFloat => "incrbyfloat"u8,
        KeyEvent.SetBit => "setbit"u8,
        KeyEvent.HashSet => "hset"u8,
        KeyEvent.HashDeleted => "hdel"u8,
        KeyEvent.HashIncrementBy => "hincrby"u8,
        KeyEvent.HashIncrementByFloat => "hincrbyfloat"u8,
        KeyEvent.HashExpire => "hexpire"u8,
        KeyEvent.HashPersist => "hpersist"u8,
        KeyEvent.HashExpired => "hexpired"u8,
        KeyEvent.PfAdd => "pfadd"u8,
        KeyEvent.SortStore => "sortstore"u8,
        KeyEvent.GeoSearchStore => "geosearchstore"u8,
        KeyEvent.GeoRadiusStore => "georadiusstore"u8,
        KeyEvent.RenamedFrom => "rename_from"u8,
        KeyEvent.RenamedTo => "rename_to"u8,
        KeyEvent.MovedFrom => "move_from"u8,
        KeyEvent.MovedTo => "move_to"u8,
        KeyEvent.CopiedTo => "copy_to"u8,
        KeyEvent.Restored => "restore"u8,
        KeyEvent.LPush => "lpush"u8,
        KeyEvent.RPush => "rpush"u8,
        KeyEvent.LPop => "lpop"u8,
        KeyEvent.RPop => "rpop"u8,
        KeyEvent.LInsert => "linsert"u8,
        KeyEvent.LSet => "lset"u8,
        KeyEvent.LRem => "lrem"u8,
        KeyEvent.LTrim => "ltrim"u8,
        KeyEvent.ZAdd => "zadd"u8,
        KeyEvent.ZIncr => "zincr"u8,
        KeyEvent.ZRem => "zrem"u8,
        KeyEvent.ZRemRangeByRank => "zremrangebyrank"u8,
        KeyEvent.ZRemRangeByScore => "zremrangebyscore"u8,
        KeyEvent.ZRemRangeByLex => "zremrangebylex"u8,
        KeyEvent.ZPopMin => "zpopmin"u8,
        KeyEvent.ZPopMax => "zpopmax"u8,
        KeyEvent.ZUnionStore => "zunionstore"u8,
        KeyEvent.ZInterStore => "zinterstore"u8,
        KeyEvent.ZDiffStore => "zdiffstore"u8,
        KeyEvent.ZRangeStore => "zrangestore"u8,
        KeyEvent.SAdd => "sadd"u8,
        KeyEvent.SRem => "srem"u8,
        KeyEvent.SPop => "spop"u8,
        KeyEvent.SInterStore => "sinterstore"u8,
        KeyEvent.SUnionStore => "sunionstore"u8,
        KeyEvent.SDiffStore => "sdiffstore"u8,
        KeyEvent.Evicted => "evicted"u8,
        KeyEvent.New => "new"u8,
        KeyEvent.Overwritten => "overwritten"u8,
        KeyEvent.TypeChanged => "type_changed"u8,
        KeyEvent.KeyMiss => "keymiss"u8,
        _ => NameOfStreams(keyEvent),
    };

    private static ReadOnlySpan<byte> NameOfStreams(KeyEvent keyEvent) => keyEvent switch
    {
        KeyEvent.StreamAdded => "xadd"u8,
        KeyEvent.StreamTrimmed => "xtrim"u8,
        KeyEvent.StreamDeleted => "xdel"u8,
        KeyEvent.StreamIdSet => "xsetid"u8,
        KeyEvent.StreamCreated or KeyEvent.GroupCreated => "xgroup-create"u8,
        KeyEvent.GroupIdSet => "xgroup-setid"u8,
        KeyEvent.GroupDestroyed => "xgroup-destroy"u8,
        KeyEvent.ConsumerCreated => "xgroup-createconsumer"u8,
        KeyEvent.ConsumerDeleted => "xgroup-delconsumer"u8,
        _ => default,
    };
}
