using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Durability;

/// <summary>What writers keep true across keys, in every state that a client can see: sums, pairs, members
/// that are in one of two places. <see cref="Break"/> does each of their changes in two steps, to show that
/// the check would see it.</summary>
internal sealed class Invariants
{
    private const int AccountCount = 40;
    private const int Balance = 1000;
    private const int PairCount = 12;
    private const int MemberCount = 300;
    private const int HugeCount = 20_000;
    private const int AddedPerCall = 1000;
    private const int ValueLengthMax = 90_000;

    /// <summary>Whether changes are torn apart.</summary>
    public bool Break { get; init; }

    /// <summary>Makes the first state.</summary>
    public static void Fill(RespClient client)
    {
        client.Call(["MSET", .. Accounts().SelectMany(static key => new[] { key, $"{Balance}" })]);
        client.Call(["SADD", "left", .. Enumerable.Range(0, MemberCount).Select(static one => $"m{one}")]);
        client.Call(["RPUSH", "queue", .. Enumerable.Range(0, MemberCount).Select(static one => $"m{one}")]);
        for (int done = 0; done < HugeCount; done += AddedPerCall)
        {
            client.Call(["SADD", "huge", .. Members(done)]);
        }

        client.Call("SELECT", "1");
        client.Call("SET", "side", $"{Balance}");
        client.Call("SELECT", "2");
        client.Call("SET", "side", $"{Balance}");
        client.Call("SELECT", "0");
    }

    /// <summary>One change by a client; its database is 0.</summary>
    public void Change(RespClient client, Random random)
    {
        switch (random.Next(40))
        {
            case < 16:
                string amount = $"{random.Next(50)}";
                Together(client, ["DECRBY", $"account{random.Next(AccountCount)}", amount],
                    ["INCRBY", $"account{random.Next(AccountCount)}", amount]);
                break;
            case < 22:
                ChangePair(client, random);
                break;
            case < 28:
                string member = $"m{random.Next(MemberCount)}";
                client.Call("SMOVE", "left", "right", member);
                client.Call("SMOVE", "right", "left", $"m{random.Next(MemberCount)}");
                client.Call("LMOVE", "queue", random.Next(2) == 0 ? "queue" : "done", "LEFT", "RIGHT");
                client.Call("LMOVE", "done", "queue", "LEFT", "RIGHT");
                break;
            case < 32:
                // Both end at one moment, or have no end.
                string name = $"{random.Next(PairCount)}";
                long deadline = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() + random.Next(30);
                Together(client, ["SET", $"mortal{name}", name, "PXAT", $"{deadline}"],
                    ["SET", $"Mortal{name}", name, "PXAT", $"{deadline}"]);
                break;
            case < 36:
                Together(client, ["SELECT", "1"], ["DECRBY", "side", "3"], ["SELECT", "2"],
                    ["INCRBY", "side", "3"], ["SELECT", "0"]);
                client.Call("SWAPDB", "1", "2");
                break;
            case < 38:
                Together(client, ["SADD", "huge", $"new {random.Next(1000)}"],
                    ["COPY", "huge", "copy", "REPLACE"]);
                client.Call("COPY", "huge", "other", "DB", "3", "REPLACE");
                break;
            case 38:
                client.Call("SELECT", "3");
                client.Call("FLUSHDB");
                client.Call("SELECT", "0");
                break;
            default:
                // All keys go, which gives up a save, and come back.
                if (random.Next(400) == 0)
                    Together(client, [["FLUSHALL"], .. Again()]);
                break;
        }
    }

    /// <summary>Fails where something does not hold.</summary>
    public static void Check(RespClient client)
    {
        long[] balances = [.. client.Call(["MGET", .. Accounts()]).Items.Select(Number)];
        Assert.Equal(AccountCount * Balance, balances.Sum());
        foreach (string name in (string[])["pair", "mortal"])
        {
            for (int index = 0; index < PairCount; index++)
            {
                string other = char.ToUpperInvariant(name[0]) + name[1..];
                RespValue both = client.Call("MGET", $"{name}{index}", $"{other}{index}");
                Assert.True($"{both.Items[0]}" == $"{both.Items[1]}", $"{name}{index} is not its other");
            }
        }

        Assert.Equal(0, client.Call("HLEN", "table").Integer - client.Call("HLEN", "Table").Integer);
        Assert.Equal(MemberCount,
            client.Call("SCARD", "left").Integer + client.Call("SCARD", "right").Integer);
        Assert.Equal(0, client.Call("SINTERCARD", "2", "left", "right").Integer);
        Assert.Equal(MemberCount, client.Call("LLEN", "queue").Integer + client.Call("LLEN", "done").Integer);
        long copied = client.Call("SCARD", "copy").Integer;
        Assert.True(copied == 0 || copied == client.Call("SCARD", "huge").Integer, "the copy is another one");
        client.Call("SELECT", "1");
        long side = Number(client.Call("GET", "side"));
        client.Call("SELECT", "2");
        Assert.Equal(2 * Balance, side + Number(client.Call("GET", "side")));
        client.Call("SELECT", "0");
    }

    private static IEnumerable<string> Accounts() =>
        Enumerable.Range(0, AccountCount).Select(static index => $"account{index}");

    private static IEnumerable<string> Members(int first) =>
        Enumerable.Range(first, AddedPerCall).Select(static one => $"member {one}");

    private static string[][] Again() =>
    [
        ["SADD", "huge", .. Members(0)],
        ["MSET", .. Accounts().SelectMany(static key => new[] { key, $"{Balance}" })],
        ["SADD", "right", .. Enumerable.Range(0, MemberCount).Select(static one => $"m{one}")],
        ["RPUSH", "done", .. Enumerable.Range(0, MemberCount).Select(static one => $"m{one}")],
        ["SELECT", "1"], ["SET", "side", $"{2 * Balance}"],
        ["SELECT", "2"], ["SET", "side", "0"], ["SELECT", "0"],
    ];

    private static long Number(RespValue value) => long.Parse(value.Text, CultureInfo.InvariantCulture);

    private void ChangePair(RespClient client, Random random)
    {
        string name = $"{random.Next(PairCount)}";
        int length = random.Next(random.Next(4) == 0 ? ValueLengthMax : 100);
        string value = new((char)random.Next('a', 'z'), length);
        if (Break)
            Together(client, ["SET", $"pair{name}", value], ["SET", $"Pair{name}", value]);
        else
            client.Call("MSET", $"pair{name}", value, $"Pair{name}", value);
        string field = $"f{random.Next(3000)}";
        Together(client, ["HSET", "table", field, value[..Math.Min(value.Length, 30)]],
            ["HSET", "Table", field, name]);
        if (random.Next(3) == 0)
            Together(client, ["HDEL", "table", field], ["HDEL", "Table", field]);
    }

    private void Together(RespClient client, params string[][] commands)
    {
        if (!Break)
            client.Call("MULTI");
        foreach (string[] command in commands)
            Assert.True(client.Call(command) is { Kind: not '-' }, command[0]);
        if (!Break)
            Assert.Equal('*', client.Call("EXEC").Kind);
    }
}
