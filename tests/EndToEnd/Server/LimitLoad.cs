using System;
using System.Collections.Generic;
using System.Globalization;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>Random commands of one client that write values of all types.</summary>
/// <param name="Random">What decides.</param>
/// <param name="IsVolatile">Whether each key gets a deadline, an hour or more ahead.</param>
internal sealed record LimitLoad(Random Random, bool IsVolatile)
{
    private const int KeyCount = 20_000;
    private const int SmallMax = 1_500;
    private const int BigLength = 60_000;
    private const int BigShare = 50;
    private const int MembersMax = 30;

    /// <summary>The next commands, in their order.</summary>
    public IEnumerable<string[]> Next() => Random.Next(12) switch
    {
        0 => [["MULTI"], .. Writes(), .. Writes(), ["EXEC"]],
        1 => Script(),
        2 => [["DEL", Key("string"), Key("hash"), Key("list")]],
        3 => [["GET", Key("string")], ["HGETALL", Key("hash")]],
        _ => Writes(),
    };

    /// <summary>A command that makes room.</summary>
    public string[] Removal()
    {
        string[] types = ["string", "hash", "list", "set", "zset", "stream", "text"];
        List<string> command = ["DEL"];
        for (int count = 0; count < MembersMax; count++)
            command.Add(Key(types[Random.Next(types.Length)]));
        return [.. command];
    }

    private IEnumerable<string[]> Writes()
    {
        string key;
        switch (Random.Next(7))
        {
            case 0:
                return WithDeadline(key = Key("hash"), ["HSET", key, .. Members(isPair: true)]);
            case 1:
                return WithDeadline(key = Key("list"), ["RPUSH", key, .. Members(isPair: false)]);
            case 2:
                return WithDeadline(key = Key("set"), ["SADD", key, .. Members(isPair: false)]);
            case 3:
                return WithDeadline(key = Key("zset"), ["ZADD", key, Number(1000), Value()]);
            case 4:
                return WithDeadline(key = Key("stream"), ["XADD", key, "*", .. Members(isPair: true)]);
            case 5:
                return WithDeadline(key = Key("text"), ["APPEND", key, Value()]);
            default:
                key = Key("string");
                return IsVolatile ? [["SET", key, Value(), "EX", Deadline()]] : [["SET", key, Value()]];
        }
    }

    private IEnumerable<string[]> Script()
    {
        string key = Key("string");
        string deadline = IsVolatile ? $", 'EX', {Deadline()}" : "";
        return [["EVAL", "for _, key in ipairs(KEYS) do "
            + $"redis.call('SET', key, ARGV[1]{deadline}) end return redis.call('GET', KEYS[1])",
            "2", key, key + "'", Value()]];
    }

    private IEnumerable<string[]> WithDeadline(string key, string[] write) =>
        IsVolatile ? [write, ["EXPIRE", key, Deadline()]] : [write];

    private string[] Members(bool isPair)
    {
        var members = new string[Random.Next(1, MembersMax) * (isPair ? 2 : 1)];
        for (int index = 0; index < members.Length; index++)
            members[index] = isPair && index % 2 == 0 ? Number(1000) : Value(SmallMax / 10);
        return members;
    }

    private string Value(int lengthMax = SmallMax)
    {
        int length = Random.Next(BigShare) == 0 && lengthMax == SmallMax ? BigLength : Random.Next(lengthMax);
        return new string((char)('a' + Random.Next(26)), length);
    }

    private string Key(string type) => $"{type}:{Random.Next(KeyCount)}";

    private string Deadline() => (3600 + Random.Next(100_000)).ToString(CultureInfo.InvariantCulture);

    private string Number(int below) => Random.Next(below).ToString(CultureInfo.InvariantCulture);
}
