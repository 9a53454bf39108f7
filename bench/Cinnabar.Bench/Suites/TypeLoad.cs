using System.Collections.Generic;
using Cinnabar.Load.Requests;

namespace Cinnabar.Bench.Suites;

/// <summary>A load of a <see cref="TypesSuite"/>: redis-benchmark's commands and a few more.</summary>
/// <param name="Name">The name of its rows.</param>
/// <param name="Fill">The command that adds <c>__key__</c> to the collection; null: it starts empty.</param>
/// <param name="Command">The command that is measured.</param>
/// <param name="IsPop">Whether each request removes an element, so that there are only as many requests as
/// elements.</param>
/// <param name="IsHeadline">Whether docs/performance.md shows it.</param>
internal sealed record TypeLoad(
    string Name, string? Fill, string Command, bool IsPop = false, bool IsHeadline = false)
{
    private const string FillList = "RPUSH list __data__";
    private const string FillSet = "SADD set __key__";
    private const string FillHash = "HSET hash __key__ __data__";
    private const string FillSortedSet = "ZADD zset __rand_int__ __key__";
    private const string FillStream = "XADD stream * field __data__";

    /// <summary>All of them.</summary>
    public static IReadOnlyList<TypeLoad> All { get; } =
    [
        new("PING", null, "PING"),
        new("LPUSH", null, "LPUSH list __data__", IsHeadline: true),
        new("RPUSH", null, "RPUSH list __data__"),
        new("LPOP", FillList, "LPOP list", IsPop: true),
        new("RPOP", FillList, "RPOP list", IsPop: true),
        new("SADD", null, FillSet, IsHeadline: true),
        new("SPOP", FillSet, "SPOP set", IsPop: true),
        new("HSET", null, FillHash, IsHeadline: true),
        new("HGET", FillHash, "HGET hash __key__"),
        new("ZADD", null, FillSortedSet, IsHeadline: true),
        new("ZPOPMIN", FillSortedSet, "ZPOPMIN zset", IsPop: true),
        new("ZRANGE (100)", FillSortedSet, "ZRANGE zset 0 99"),
        new("LRANGE_100", FillList, "LRANGE list 0 99", IsHeadline: true),
        new("LRANGE_300", FillList, "LRANGE list 0 299"),
        new("LRANGE_600", FillList, "LRANGE list 0 599"),
        new("XADD", null, FillStream, IsHeadline: true),
        new("XRANGE (100)", FillStream, "XRANGE stream - + COUNT 100"),
    ];

    /// <summary>The measured command, ready for a load.</summary>
    public CommandTemplate Template => CommandTemplate.Parse(Command);
}
