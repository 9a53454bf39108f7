using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands;

/// <summary>Data commands give the garbage collector nothing to do.</summary>
public sealed class HotPathAllocationTests
{
    [Theory]
    [InlineData("GET text")]
    [InlineData("GET number")]
    [InlineData("GET missing")]
    [InlineData("GET big")]
    [InlineData("MGET text number missing")]
    [InlineData("STRLEN number")]
    [InlineData("SET text hello")]
    [InlineData("SET number 12345")]
    [InlineData("SET text hello XX GET")]
    [InlineData("SET text hello PX 100000")]
    [InlineData("SETNX text hello")]
    [InlineData("MSET a 1 b two c 3")]
    [InlineData("MSETEX 2 a 1 b two NX")]
    [InlineData("GETSET text hello")]
    [InlineData("GETEX text PERSIST")]
    [InlineData("INCR number")]
    [InlineData("DECRBY number 5")]
    [InlineData("INCRBYFLOAT float 1.5")]
    [InlineData("APPEND grown x")]
    [InlineData("GETRANGE text 1 3")]
    [InlineData("SETRANGE text 1 xyz")]
    [InlineData("SETBIT bits 1000 1")]
    [InlineData("SETBIT bits 1000 0")]
    [InlineData("GETBIT bits 1000")]
    [InlineData("BITCOUNT bits 3 40 BIT")]
    [InlineData("BITPOS bits 1")]
    [InlineData("BITFIELD bits OVERFLOW SAT INCRBY u5 100 1 GET i8 3")]
    [InlineData("BITOP OR d bits text number")]
    [InlineData("DELIFEQ text other")]
    [InlineData("DIGEST text")]
    [InlineData("HSET hash a 5 b text")]
    [InlineData("HSET table a 5 b text")]
    [InlineData("HGET hash b")]
    [InlineData("HGET table b")]
    [InlineData("HMGET hash a b c")]
    [InlineData("HGETALL hash")]
    [InlineData("HGETALL table")]
    [InlineData("HINCRBY hash a 1")]
    [InlineData("HINCRBYFLOAT table f 1.5")]
    [InlineData("HDEL hash nope")]
    [InlineData("HSCAN table 0")]
    [InlineData("HRANDFIELD table 1")]
    [InlineData("HRANDFIELD hash -3 WITHVALUES")]
    [InlineData("HEXPIRE dying 100 FIELDS 1 a")]
    [InlineData("HTTL dying FIELDS 1 a")]
    [InlineData("HGETEX dying EX 100 FIELDS 1 a")]
    [InlineData("HSETEX dying EX 100 FIELDS 1 a 1")]
    [InlineData("SADD small 5")]
    [InlineData("SADD tree m5")]
    [InlineData("SREM small nothing")]
    [InlineData("SISMEMBER tree m7")]
    [InlineData("SMEMBERS small")]
    [InlineData("SMEMBERS tree")]
    [InlineData("SRANDMEMBER tree")]
    [InlineData("SRANDMEMBER tree -5")]
    [InlineData("SRANDMEMBER tree 5")]
    [InlineData("SINTER small tree")]
    [InlineData("SUNION small tree")]
    [InlineData("SUNION small tree small tree small")]
    [InlineData("SDIFF tree small")]
    [InlineData("SINTERSTORE target tree tree")]
    [InlineData("SUNIONSTORE target small small")]
    [InlineData("SSCAN tree 0")]
    [InlineData("ZADD zs 3 m3")]
    [InlineData("ZADD zs GT 3 m3 8 m4")]
    [InlineData("ZADD zb 3 m3")]
    [InlineData("ZINCRBY zb 1.5 m3")]
    [InlineData("ZINCRBY zs 1.5 m3")]
    [InlineData("ZSCORE zs m3")]
    [InlineData("ZRANK zb m3")]
    [InlineData("ZRANGE zb 0 100 WITHSCORES")]
    [InlineData("ZRANGE zs 0 -1 WITHSCORES")]
    [InlineData("ZRANGEBYSCORE zb 3 50 LIMIT 2 10")]
    [InlineData("ZPOPMIN zb")]
    [InlineData("ZREM zs m1")]
    [InlineData("ZUNION 2 zs zb")]
    [InlineData("ZINTERCARD 2 zs zb")]
    public void NothingIsAllocated(string command)
    {
        using CommandHarness harness = DataCommands.NewHarness(isChecked: false);
        harness.RunWords("MSET", "text", "bytes", "number", "0", "big", new string('x', 100_000));
        harness.RunWords("SETBIT", "bits", "500", "1");
        harness.RunWords("HSET", "hash", "a", "1", "b", "2");
        harness.RunWords("HSET", "dying", "a", "1", "b", "2");
        harness.RunWords("HSET", "table", "a", "1", "b", new string('x', 100));
        for (int number = 0; number < 1000; number++)
        {
            harness.RunWords("ZADD", "zb", $"{number}", $"m{number}");
            if (number < 20)
                harness.RunWords("ZADD", "zs", $"{number}", $"m{number}");
        }

        harness.RunWords("SADD", "small", "1", "2", "m3");
        for (int number = 0; number < 300; number++)
            harness.Run($"SADD tree m{number}");
        Assert.Equal(0, harness.AllocatedBy(command, rounds: 500));
    }
}
