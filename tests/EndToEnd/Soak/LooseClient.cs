using System;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>A client whose visits leave something open when they end: half a command, unread replies, a
/// wait, subscriptions, a transaction, tracked keys. In a database whose keys an operator removes.</summary>
/// <param name="port">The server's port.</param>
/// <param name="seed">The seed of its choices.</param>
internal sealed class LooseClient(int port, int seed)
{
    private const int CrowdMax = 60;
    private const int HalfLengthMax = 200_000;
    private const int UnreadCount = 200;
    private const int UnreadLength = 60_000;
    private const int WriteCount = 40;

    private readonly Random _random = new(seed);

    /// <summary>The database of these clients.</summary>
    public const string Database = "9";

    /// <summary>Opens connections, does something, closes them.</summary>
    /// <returns>How many commands it has sent.</returns>
    public int Visit() => _random.Next(10) switch
    {
        0 => Leave("*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n$1000000\r\n"
            + new string('h', _random.Next(HalfLengthMax))),
        1 => Leave($"SELECT {Database}\r\nSETRANGE big {UnreadLength} end\r\n"
            + string.Concat(Enumerable.Repeat("GET big\r\n", UnreadCount))),
        2 => Leave($"SELECT {Database}\r\nWATCH a b\r\nMULTI\r\nSET a 1\r\nLPUSH b 2\r\nGET a\r\n"),
        3 => Leave($"SELECT {Database}\r\n{Wait()}\r\n"),
        4 => Crowd(),
        5 => Listen(),
        6 => Track(),
        7 => Script(),
        8 => Look(),
        _ => Write(),
    };

    /// <summary>Random writes, which may be refused for want of memory only.</summary>
    /// <param name="database">Where.</param>
    public int Write(string database = Database)
    {
        using RespClient client = Connect(2, database);
        var load = new LimitLoad(_random, IsVolatile: _random.Next(2) == 0);
        int count = 0;
        for (int left = _random.Next(WriteCount); left > 0; left--)
        {
            foreach (string[] command in load.Next())
            {
                string reply = client.Call(command).ToString();
                bool isRefused = reply.Contains("OOM command not allowed", StringComparison.Ordinal)
                    || reply.StartsWith("-EXECABORT", StringComparison.Ordinal);
                Assert.True(isRefused || !reply.StartsWith('-'),
                    $"{string.Join(' ', command.Take(2))} got {reply}");
                if (isRefused)
                    client.Call(load.Removal());
                count++;
            }
        }

        return count;
    }

    // Sends and closes, politely or not, without a look at what comes back.
    private int Leave(string text)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Connect(IPAddress.Loopback, port);
        socket.Send(Encoding.Latin1.GetBytes(text));
        if (_random.Next(2) == 0)
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        else
            socket.Shutdown(SocketShutdown.Send);
        return text.Count(static letter => letter == '\n');
    }

    private string Wait() => _random.Next(5) switch
    {
        0 => "BLPOP wait:1 wait:2 wait:3 0",
        1 => "BLMOVE wait:1 wait:2 LEFT RIGHT 0",
        2 => "XREAD BLOCK 0 STREAMS wait:stream $",
        3 => "BZPOPMIN wait:zset 0.01",
        _ => "WAIT 5 1",
    };

    private int Crowd()
    {
        RespClient[] clients = [.. Enumerable.Range(0, 1 + _random.Next(CrowdMax)).Select(_ => Connect(2))];
        foreach (RespClient client in clients)
            client.Send("PING");
        foreach (RespClient client in clients)
        {
            Assert.Equal("+PONG", client.Read().ToString());
            client.Dispose();
        }

        return clients.Length;
    }

    // What is published on the channel is counted: a subscriber sees each number once, in its order.
    private int Listen()
    {
        using RespClient client = Connect(3);
        client.Send("PSUBSCRIBE", "other:*");
        client.Send("SSUBSCRIBE", $"shard:{_random.Next(10)}");
        client.Send("SUBSCRIBE", SoakOperator.Channel);
        long last = -1;
        for (int left = _random.Next(20); left > 0;)
        {
            RespValue push = client.Read();
            if (push.Items[0].Text != "message")
                continue;
            long published = push.Items[2].Integer;
            Assert.True(last < 0 || published == last + 1, $"{published} was published behind {last}");
            last = published;
            left--;
        }

        if (_random.Next(2) == 0)
            client.Send("UNSUBSCRIBE");
        return 3;
    }

    private int Track()
    {
        using RespClient client = Connect(3);
        string[] mode = _random.Next(2) == 0 ? ["BCAST", "PREFIX", "string:"] : ["NOLOOP"];
        Assert.Equal("+OK", client.Call(["CLIENT", "TRACKING", "ON", .. mode]).ToString());
        for (int left = _random.Next(WriteCount); left > 0; left--)
            client.Send("GET", $"string:{_random.Next(20_000)}");
        return WriteCount;
    }

    private int Script()
    {
        using RespClient client = Connect(2);
        string number = _random.Next().ToString(CultureInfo.InvariantCulture);
        Expect(client, "$" + number, "EVAL", $"local n = '{number}' redis.call('SET', KEYS[1], n, 'PX', 100) "
            + "local t = {} for i = 1, 1000 do t[i] = n .. i end return n", "1", "script");
        Expect(client, "$soak", "FUNCTION", "LOAD", "REPLACE", "#!lua name=soak\n"
            + $"redis.register_function('soaked', function() return {number} end)");
        return 2;
    }

    private int Look()
    {
        using RespClient client = Connect(2);
        string random = _random.Next(1000).ToString(CultureInfo.InvariantCulture);
        string[][] commands =
        [
            ["KEYS", "string:1*"], ["SCAN", "0", "COUNT", "1000"], ["DBSIZE"], ["RANDOMKEY"],
            ["MEMORY", "STATS"], ["SORT", "list:1", "ALPHA"],
            ["SUNIONSTORE", "set:0", "set:1", "set:2"], ["CLIENT", "LIST"],
            ["ZUNIONSTORE", "zset:0", "2", "zset:1", "zset:2"], ["COMMAND", "COUNT"],
            ["PFADD", "log:1", "a", random], ["GEOADD", "geo:1", "13.3", "38.1", random],
            ["COPY", "hash:1", "hash:2", "REPLACE"], ["MONITOR"],
        ];
        int first = _random.Next(commands.Length);
        foreach (string[] command in commands.Skip(first))
            Expect(client, null, command);
        return commands.Length - first;
    }

    // Null: any reply that is no error. A server at its limit of memory may refuse.
    private static void Expect(RespClient client, string? reply, params string[] command)
    {
        string found = client.Call(command).ToString();
        bool isRefused = found.Contains("OOM command not allowed", StringComparison.Ordinal);
        Assert.True(isRefused || found == reply || (reply is null && !found.StartsWith('-')),
            $"{string.Join(' ', command)} got {found}");
    }

    private RespClient Connect(int protocol, string database = Database)
    {
        var client = new RespClient(port);
        if (protocol == 3)
            client.Call("HELLO", "3");
        if (database != "0")
            Assert.Equal("+OK", client.Call("SELECT", database).ToString());
        return client;
    }
}
