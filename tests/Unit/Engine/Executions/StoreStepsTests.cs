using System;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>Results built without keys are snapshots of the moment at which they are stored.</summary>
public sealed class StoreStepsTests
{
    [Theory]
    [InlineData("SUNIONSTORE d s t", "SADD s z", ":4", ":5")]
    [InlineData("SINTERSTORE d s t", "SREM t b", ":2", ":1")]
    [InlineData("SDIFFSTORE d s t", "SADD s z", ":1", ":2")]
    [InlineData("SUNIONSTORE d s none", "SADD none z", ":3", ":4")]
    [InlineData("ZUNIONSTORE d 2 y s", "ZADD y 9 z", ":4", ":5")]
    [InlineData("ZINTERSTORE d 2 y s", "DEL y", ":2", ":0")]
    [InlineData("ZRANGESTORE d y 0 -1", "ZREM y b", ":3", ":2")]
    [InlineData("BITOP OR d u v", "SETRANGE u 99999 x", ":80000", ":100000")]
    [InlineData("BITOP AND d v none", "DEL v", ":10", ":0")]
    [InlineData("SORT l STORE d", "RPUSH l 5", ":3", ":4")]
    [InlineData("SORT s ALPHA STORE d", "SREM s a", ":3", ":2")]
    [InlineData("SORT l BY nosort STORE d", "LPOP l", ":3", ":2")]
    [InlineData("GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 100 km", "ZREM g p", ":2", ":1")]
    [InlineData("GEORADIUS g 15 37 100 km STORE d", "DEL g", ":2", ":0")]
    [InlineData("ZRANGESTORE d y 3 1 BYSCORE REV LIMIT 1 2", "ZREM y d", ":2", ":1")]
    [InlineData("ZRANGESTORE d x (b + BYLEX", "ZADD x 0 bb", ":1", ":2")]
    [InlineData("GEORADIUSBYMEMBER g p 20 km STORE d", "GEOADD g 0 0 p", ":2", ":1")]
    [InlineData("GEOSEARCHSTORE d g FROMMEMBER p BYRADIUS 20 km", "GEOADD g 0 0 p", ":2", ":1")]
    [InlineData("GEOSEARCHSTORE d g FROMMEMBER p BYRADIUS 20 km", "ZREM g p", ":2",
        "-ERR could not decode requested zset member")]
    [InlineData("GEOSEARCHSTORE d g FROMMEMBER q FROMMEMBER p BYRADIUS 20 km", "ZREM g q", ":2",
        "-ERR could not decode requested zset member")]
    [InlineData("GEOSEARCHSTORE d g FROMMEMBER p BYRADIUS 20 km", "DEL g", ":2", ":0")]
    [InlineData("GEOSEARCHSTORE d g BYPOLYGON 4 14 36 16 36 16 38 14 38", "ZREM g p", ":2", ":1")]
    public void ASourceThatChangesMeanwhileIsReadAgain(
        string command, string change, string replyBefore, string replyAfter)
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null);
        TestClient other = server.Connect(0);
        TestClient client = server.Connect(1);
        other.Run("SADD s a b c");
        other.Run("SADD t b c d");
        other.Run("ZADD y 1 b 2 c 3 d");
        other.Run("ZADD x 0 a 0 b 0 c");
        other.Run("SETRANGE u 79999 x");
        other.Run("SETRANGE v 9 x");
        other.Run("RPUSH l 3 1 2");
        other.Run("GEOADD g 15 37 p 15.1 37 q 16.5 38 r");
        Assert.Equal(replyBefore, client.Run(command));
        Assert.Equal(replyBefore == ":0" ? ":0" : ":1", other.Run("EXISTS d"));

        client.Send(command.Split(' '));
        // It is built, its keys are free, and its loop will be notified.
        server.Turn();
        // The loop of the other one comes first.
        other.Send(change.Split(' '));
        server.Turn();
        server.Run();
        Assert.NotEqual("", other.Shown());
        Assert.Equal(replyAfter, client.Shown());
    }

    [Theory]
    [InlineData("LREM l 0 e4", "RPUSH l e4", ":2")]
    [InlineData("LREM l 0 x", "LPOP k", ":0")]
    [InlineData("LREM l -2 e4", "LTRIM l 6 9", ":0")]
    [InlineData("LREM l 0 e4", "LPUSH k e4", ":1")]
    [InlineData("LINSERT l BEFORE e4 x", "LPOP l 4", ":7")]
    [InlineData("LINSERT l AFTER e4 x", "LPUSH k e4", ":11")]
    [InlineData("LINSERT l AFTER e4 x", "LTRIM l 6 9", ":-1")]
    [InlineData("LINSERT l AFTER e4 x", "DEL l", ":0")]
    [InlineData("ZREMRANGEBYRANK z 0 4", "ZADD z -1 low", ":5")]
    [InlineData("ZREMRANGEBYSCORE z 0 4", "ZADD z 3 more", ":6")]
    [InlineData("ZREMRANGEBYLEX z [e0 [e4", "ZADD y 3 more", ":5")]
    [InlineData("ZREMRANGEBYLEX z [e0 [e4", "ZADD z 0 e11", ":6")]
    [InlineData("ZREMRANGEBYSCORE z 0 4", "DEL z", ":0")]
    public void WhatChangesMeanwhileIsEditedAgain(string command, string change, string reply)
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null,
            ("list-max-listpack-size", "4"), ("zset-max-listpack-entries", "0"));
        TestClient other = server.Connect(0);
        TestClient client = server.Connect(1);
        other.Run("RPUSH k 1 2");
        bool isLex = command.Contains("LEX", StringComparison.Ordinal);
        for (int index = 0; index < 10; index++)
        {
            other.Run($"RPUSH l e{index}");
            other.Run($"ZADD z {(isLex ? 0 : index)} e{index}");
        }

        other.Run("EXPIRE l 1000");
        client.Send(command.Split(' '));
        server.Turn();
        other.Send(change.Split(' '));
        server.Turn();
        server.Run();
        Assert.NotEqual("", other.Shown());
        Assert.Equal(reply, client.Shown());
        if (command[0] == 'Z' || change[..3] == "DEL" || reply is ":0" or ":-1")
            return;
        Assert.Equal(":1", other.Run("PERSIST l"));
        string[] words = command.Split(' ');
        string left = other.Run("LRANGE l 0 -1");
        Assert.Equal(words[0] != "LREM", left.Contains(words[^1], StringComparison.Ordinal));
    }

    /// <summary>Without concurrent changes, an edit without the key gives the same result as with
    /// it.</summary>
    [Theory]
    [InlineData("LREM l 0 x")]
    [InlineData("LREM l -3 x")]
    [InlineData("LREM l 4 x")]
    [InlineData("LINSERT l AFTER e777 new")]
    [InlineData("ZREMRANGEBYRANK z 100 699")]
    [InlineData("ZREMRANGEBYSCORE z 5 300")]
    [InlineData("ZREMRANGEBYSCORE z -inf +inf")]
    [InlineData("LREM all 0 the-same-everywhere")]
    [InlineData("LREM all -1000 the-same-everywhere")]
    public void EditsWithoutTheKeyAreTheSame(string command)
    {
        string[] answers = new string[2];
        for (int run = 0; run < 2; run++)
        {
            using var server = new TestServer(
                loopCostNsMax: run == 0 ? long.MaxValue : -1, loopCount: 1, clock: null);
            TestClient client = server.Connect();
            for (int index = 0; index < 1000; index++)
            {
                client.Run($"RPUSH l {(index % 50 == 7 ? "x" : $"e{index}")} {new string('l', index % 40)}");
                client.Run($"ZADD z {index * 7 % 1000} e{index}");
                client.Run("RPUSH all the-same-everywhere");
            }

            client.Run("COPY l copied");
            client.Run("COPY z copied2");
            answers[run] = client.Run(command) + client.Run("LRANGE l 0 -1") + client.Run("ZRANGE z 0 -1")
                + client.Run("OBJECT ENCODING l") + client.Run("LLEN copied") + client.Run("ZCARD copied2")
                + client.Run("EXISTS l z all");
        }

        Assert.Equal(answers[0], answers[1]);
    }

    [Theory]
    [InlineData("LREM l 0 e4")]
    [InlineData("LINSERT l AFTER e4 x")]
    [InlineData("ZREMRANGEBYRANK z 0 4")]
    [InlineData("BITOP NOT d u")]
    [InlineData("SORT l ALPHA STORE d")]
    [InlineData("GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 100 km")]
    public void ItsKeysAreFreeMeanwhileAndAnAbandonedResultIsDropped(string command)
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null,
            ("list-max-listpack-size", "4"), ("zset-max-listpack-entries", "0"));
        TestClient client = server.Connect(1);
        client.Run("RPUSH l e0 e1 e2 e3 e4 e5 e6");
        client.Run("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f");
        client.Run("SETRANGE u 79999 x");
        client.Run("GEOADD g 15 37 p 15.1 37 q");
        client.Send(command.Split(' '));
        server.Turn();
        TestClient other = server.Connect(0);
        other.Send("EXISTS", "l", "z", "u", "g", "d");
        client.Disconnect();
        server.Turn();
        Assert.Equal(":4", other.Shown());
        server.Run();
        Assert.Equal(":7", other.Run("LLEN l"));
        Assert.Equal(":6", other.Run("ZCARD z"));
        Assert.Equal(":0", other.Run("EXISTS d"));
    }

    [Fact]
    public void OthersAreServedBetweenTheSteps()
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null);
        TestClient client = server.Connect(1);
        client.Run("ZADD y 1 b 2 c 3 d");
        client.Send("ZUNIONSTORE", "d", "1", "y");
        server.Turn();
        TestClient other = server.Connect(0);
        other.Send("ZADD", "d", "5", "x");
        other.Send("EXISTS", "y", "d");
        server.Turn();
        Assert.Equal(":1 :2", other.Shown());
        server.Run();
        Assert.Equal(":3", client.Shown());
        Assert.Equal(":3", other.Run("ZCARD d"));
    }

    [Fact]
    public void AnAbandonedResultIsDropped()
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 1, clock: null);
        TestClient client = server.Connect();
        client.Run("ZADD y 1 b 2 c 3 d");
        client.Run("SADD s a b c");
        TestClient second = server.Connect();
        client.Send("ZUNIONSTORE", "d", "1", "y");
        second.Send("SUNIONSTORE", "e", "s");
        server.Turn();
        client.Disconnect();
        second.Disconnect();
        server.Run();
    }
}
