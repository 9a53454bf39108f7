using System;
using Cinnabar.Commands;
using Cinnabar.Commands.Bitmaps;
using Cinnabar.Commands.Hashes;
using Cinnabar.Commands.Geo;
using Cinnabar.Commands.HyperLogLogs;
using Cinnabar.Commands.Keys;
using Cinnabar.Commands.Lists;
using Cinnabar.Commands.Sets;
using Cinnabar.Commands.Strings;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>The data commands by name, for a <see cref="CommandHarness"/>.</summary>
public static class DataCommands
{
    private static readonly (string Name, Action<Execution> Handler)[] s_all =
    [
        ("APPEND", RangeCommands.Append),
        ("BITCOUNT", BitRangeCommands.BitCount),
        ("BITFIELD", BitFieldCommands.BitField),
        ("BITFIELD_RO", BitFieldCommands.BitFieldReadOnly),
        ("BITOP", BitOpCommands.BitOp),
        ("BITPOS", BitRangeCommands.BitPos),
        ("COPY", TransferCommands.Copy),
        ("DBSIZE", DatabaseCommands.DbSize),
        ("DECR", CounterCommands.Decr),
        ("DECRBY", CounterCommands.DecrBy),
        ("DEL", KeyCommands.Del),
        ("DELEX", CompareCommands.DelEx),
        ("DELIFEQ", CompareCommands.DelIfEq),
        ("DIGEST", CompareCommands.Digest),
        ("EXISTS", KeyCommands.Exists),
        ("EXPIRE", ExpiryCommands.Expire),
        ("EXPIREAT", ExpiryCommands.ExpireAt),
        ("EXPIRETIME", DeadlineCommands.ExpireTime),
        ("FLUSHALL", DatabaseCommands.FlushAll),
        ("FLUSHDB", DatabaseCommands.FlushDb),
        ("GEOADD", GeoCommands.GeoAdd),
        ("GEODIST", GeoCommands.GeoDist),
        ("GEOHASH", GeoCommands.GeoHash),
        ("GEOPOS", GeoCommands.GeoPos),
        ("GEORADIUS", GeoSearchCommands.GeoRadius),
        ("GEORADIUSBYMEMBER", GeoSearchCommands.GeoRadiusByMember),
        ("GEOSEARCH", GeoSearchCommands.GeoSearch),
        ("GEOSEARCHSTORE", GeoSearchCommands.GeoSearchStore),
        ("GET", GetCommands.Get),
        ("GETBIT", BitCommands.GetBit),
        ("GETDEL", GetCommands.GetDel),
        ("GETEX", GetCommands.GetEx),
        ("GETRANGE", RangeCommands.GetRange),
        ("GETSET", GetCommands.GetSet),
        ("HDEL", FieldWriteCommands.HDel),
        ("HEXISTS", FieldReadCommands.HExists),
        ("HEXPIRE", FieldExpiryCommands.HExpire),
        ("HEXPIREAT", FieldExpiryCommands.HExpireAt),
        ("HEXPIRETIME", FieldDeadlineCommands.HExpireTime),
        ("HGET", FieldReadCommands.HGet),
        ("HGETALL", HashContentCommands.HGetAll),
        ("HGETDEL", FieldOptionCommands.HGetDel),
        ("HGETEX", FieldOptionCommands.HGetEx),
        ("HINCRBY", FieldCounterCommands.HIncrBy),
        ("HINCRBYFLOAT", FieldCounterCommands.HIncrByFloat),
        ("HKEYS", HashContentCommands.HKeys),
        ("HLEN", FieldReadCommands.HLen),
        ("HMGET", FieldReadCommands.HMGet),
        ("HMSET", FieldWriteCommands.HMSet),
        ("HPERSIST", FieldExpiryCommands.HPersist),
        ("HPEXPIRE", FieldExpiryCommands.HPExpire),
        ("HPEXPIREAT", FieldExpiryCommands.HPExpireAt),
        ("HPEXPIRETIME", FieldDeadlineCommands.HPExpireTime),
        ("HPTTL", FieldDeadlineCommands.HPTtl),
        ("HRANDFIELD", RandomFieldCommands.HRandField),
        ("HSCAN", HashScanCommands.HScan),
        ("HSET", FieldWriteCommands.HSet),
        ("HSETEX", FieldOptionCommands.HSetEx),
        ("HSETNX", FieldWriteCommands.HSetNx),
        ("HSTRLEN", FieldReadCommands.HStrLen),
        ("HTTL", FieldDeadlineCommands.HTtl),
        ("HVALS", HashContentCommands.HVals),
        ("INCR", CounterCommands.Incr),
        ("INCRBY", CounterCommands.IncrBy),
        ("INCRBYFLOAT", CounterCommands.IncrByFloat),
        ("KEYS", ScanCommands.Keys),
        ("LCS", LcsCommands.Lcs),
        ("LINDEX", ListReadCommands.LIndex),
        ("LINSERT", ListEditCommands.LInsert),
        ("LLEN", ListReadCommands.LLen),
        ("LMOVE", ListMoveCommands.LMove),
        ("LMPOP", ListPopCommands.LMPop),
        ("LPOP", ListPopCommands.LPop),
        ("LPOS", ListPositionCommands.LPos),
        ("LPUSH", ListPushCommands.LPush),
        ("LPUSHX", ListPushCommands.LPushX),
        ("LRANGE", ListReadCommands.LRange),
        ("LREM", ListEditCommands.LRem),
        ("LSET", ListEditCommands.LSet),
        ("LTRIM", ListEditCommands.LTrim),
        ("MEMORY USAGE", MemoryCommands.Usage),
        ("MGET", GetCommands.MGet),
        ("MOVE", TransferCommands.Move),
        ("MSET", MultiKeyCommands.MSet),
        ("MSETEX", MultiKeyCommands.MSetEx),
        ("MSETNX", MultiKeyCommands.MSetNx),
        ("OBJECT ENCODING", ObjectCommands.Encoding),
        ("OBJECT FREQ", ObjectCommands.Freq),
        ("OBJECT HELP", ObjectCommands.Help),
        ("OBJECT IDLETIME", ObjectCommands.IdleTime),
        ("OBJECT REFCOUNT", ObjectCommands.RefCount),
        ("PERSIST", ExpiryCommands.Persist),
        ("PEXPIRE", ExpiryCommands.PExpire),
        ("PEXPIREAT", ExpiryCommands.PExpireAt),
        ("PEXPIRETIME", DeadlineCommands.PExpireTime),
        ("PFADD", HyperLogLogCommands.PfAdd),
        ("PFCOUNT", HyperLogLogCommands.PfCount),
        ("PFDEBUG", HyperLogLogDebugCommands.PfDebug),
        ("PFMERGE", HyperLogLogCommands.PfMerge),
        ("PFSELFTEST", HyperLogLogSelfTest.PfSelfTest),
        ("PSETEX", SetCommands.PSetEx),
        ("PTTL", DeadlineCommands.PTtl),
        ("RANDOMKEY", KeyCommands.RandomKey),
        ("RENAME", TransferCommands.Rename),
        ("RENAMENX", TransferCommands.RenameNx),
        ("RPOP", ListPopCommands.RPop),
        ("RPOPLPUSH", ListMoveCommands.RPopLPush),
        ("RPUSH", ListPushCommands.RPush),
        ("RPUSHX", ListPushCommands.RPushX),
        ("SADD", MemberCommands.SAdd),
        ("SCAN", ScanCommands.Scan),
        ("SCARD", MemberCommands.SCard),
        ("SDIFF", AlgebraCommands.SDiff),
        ("SDIFFSTORE", AlgebraCommands.SDiffStore),
        ("SET", SetCommands.Set),
        ("SETBIT", BitCommands.SetBit),
        ("SETEX", SetCommands.SetEx),
        ("SETNX", SetCommands.SetNx),
        ("SETRANGE", RangeCommands.SetRange),
        ("SINTER", AlgebraCommands.SInter),
        ("SINTERCARD", AlgebraCommands.SInterCard),
        ("SINTERSTORE", AlgebraCommands.SInterStore),
        ("SISMEMBER", MemberCommands.SIsMember),
        ("SMEMBERS", WalkCommands.SMembers),
        ("SMISMEMBER", MemberCommands.SMIsMember),
        ("SMOVE", MemberCommands.SMove),
        ("SPOP", RandomCommands.SPop),
        ("SRANDMEMBER", RandomCommands.SRandMember),
        ("SREM", MemberCommands.SRem),
        ("SSCAN", WalkCommands.SScan),
        ("STRLEN", GetCommands.StrLen),
        ("SUBSTR", RangeCommands.GetRange),
        ("SUNION", AlgebraCommands.SUnion),
        ("SUNIONSTORE", AlgebraCommands.SUnionStore),
        ("SWAPDB", DatabaseCommands.SwapDb),
        ("TOUCH", KeyCommands.Touch),
        ("TTL", DeadlineCommands.Ttl),
        ("TYPE", KeyCommands.Type),
        ("UNLINK", KeyCommands.Unlink),
    ];

    /// <summary>A harness that knows all data commands.</summary>
    public static CommandHarness NewHarness(bool isChecked = true)
    {
        var harness = new CommandHarness(isChecked);
        foreach ((string name, Action<Execution> handler) in s_all)
            harness.Register(name, handler);
        return harness;
    }

    /// <summary>Plays a conversation (see <see cref="Transcript"/>) on an empty key space, then looks for
    /// leaks.</summary>
    public static void Play(string text)
    {
        using CommandHarness harness = NewHarness();
        Transcript.Play(harness, text);
    }
}
