using System;
using System.Collections.Generic;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Tracking;

/// <summary>Conversations of several clients that track, with each other's help and while others write: each
/// gets what it gets from redis-server, byte for byte.</summary>
public sealed class TrackingConversationTests
{
    // Lines as TrackingConversation has them.
    private static readonly Dictionary<string, string> s_conversations = new()
    {
        ["redirected to a subscriber"] = """
            l SUBSCRIBE __redis__:invalidate; r CLIENT TRACKING ON REDIRECT {l}; r GET k; w SET k v; r GET k
            r GET j; w MSET k 1 j 2; w SET k 3; r CLIENT TRACKINGINFO; r GET k; w DEL k
            r GET k; r SET k own; r MULTI; r GET k; r SET k 4; r EXEC; w FLUSHALL; r CLIENT TRACKING OFF
            r GET k; w SET k 5; w INFO
            """,
        ["redirected to a subscriber of another channel, or of none"] = """
            r CLIENT TRACKING ON REDIRECT {l}; r GET k; w SET k v; l SUBSCRIBE other; r GET k; w SET k w
            l UNSUBSCRIBE other; r GET k; w SET k x; r CLIENT TRACKINGINFO
            """,
        ["redirected to a client of RESP3"] = """
            l HELLO 3; r CLIENT TRACKING ON REDIRECT {l}; r GET k; w SET k v; r GET k; r SET k w; r GET k
            s CLIENT TRACKING ON REDIRECT {l}; s GET k; s GET j; w SET k x; w SET j x
            """,
        ["redirected to itself"] = """
            r HELLO 3; r CLIENT TRACKING ON REDIRECT {r}; r GET k; r SET k v; r GET k; w SET k w
            r CLIENT TRACKINGINFO
            """,
        ["a broken redirection"] = """
            r HELLO 3; l HELLO 3; r CLIENT TRACKING ON REDIRECT {l}; r GET k; r GET j; r GET i; w SET k v; l!
            r CLIENT GETREDIR; r CLIENT TRACKINGINFO; w SET j v; r CLIENT TRACKINGINFO; w SET i v; r GET i
            w FLUSHALL; r CLIENT TRACKING ON; r CLIENT TRACKINGINFO; r GET k; w SET k w
            r CLIENT TRACKING ON REDIRECT {l}
            """,
        ["a broken redirection of RESP2"] = """
            r CLIENT TRACKING ON REDIRECT {l}; r GET k; l!; w SET k v; r CLIENT TRACKINGINFO; r GET k
            r CLIENT TRACKING OFF; r CLIENT TRACKINGINFO; w SET k w
            """,
        ["a broken redirection of prefixes"] = """
            r HELLO 3; r CLIENT TRACKING ON BCAST REDIRECT {l}; l!; w SET k v; r CLIENT TRACKINGINFO
            """,
        ["a redirection to one that resets"] = """
            l SUBSCRIBE __redis__:invalidate; r CLIENT TRACKING ON REDIRECT {l}; r GET k; l RESET; w SET k v
            r CLIENT TRACKINGINFO; r GET k; l SUBSCRIBE __redis__:invalidate; w SET k w
            """,
        ["RESP2 without redirection"] = """
            r CLIENT TRACKING ON; r GET k; w SET k v; r GET k; r GET j; r HELLO 3; w SET k w; r GET k
            w SET j w; r HELLO 2; w SET k x; r SUBSCRIBE a; w SET k y; w FLUSHALL
            """,
        ["prefixes of two clients"] = """
            r HELLO 3; s HELLO 3; r CLIENT TRACKING ON BCAST PREFIX a; s CLIENT TRACKING ON BCAST PREFIX ab
            w MSET ab 1 ac 2 b 3; r CLIENT TRACKING ON BCAST PREFIX b; w MSET b 1 ab 2; w INFO
            r CLIENT TRACKING ON BCAST PREFIX ab; r CLIENT TRACKING ON BCAST PREFIX ''
            r CLIENT TRACKING ON BCAST PREFIX c PREFIX cd; r CLIENT TRACKING ON BCAST PREFIX c PREFIX c
            r CLIENT TRACKINGINFO; r GET ab; r SET ab 4; r CLIENT TRACKING OFF; w SET ab 3; w INFO
            r CLIENT TRACKING ON BCAST; r CLIENT TRACKING ON BCAST PREFIX a; w MSET ab 1 z 2
            w DEL none; w FLUSHALL; r RESET; w MSET ab 1 z 2; s!; w INFO
            """,
        ["prefixes and changes of its own"] = """
            r HELLO 3; s HELLO 3; r CLIENT TRACKING ON BCAST NOLOOP; s CLIENT TRACKING ON BCAST; r SET k v
            w SET k w; r MSET k 1 j 2; r FLUSHALL
            r CLIENT TRACKING ON BCAST; r CLIENT TRACKINGINFO; r SET k x
            """,
        ["prefixes, redirected"] = """
            l SUBSCRIBE __redis__:invalidate; r CLIENT TRACKING ON BCAST PREFIX k REDIRECT {l} NOLOOP
            s CLIENT TRACKING ON BCAST PREFIX k REDIRECT {l}; w SET k v; w SET j v; r SET k w
            s SET k x; w FLUSHALL
            """,
        ["from keys to prefixes and back"] = """
            r HELLO 3; r CLIENT TRACKING ON; r GET k; r CLIENT TRACKING ON BCAST; r CLIENT TRACKING OFF
            r CLIENT TRACKING ON BCAST; w SET k v; r CLIENT TRACKING OFF; r GET j; r CLIENT TRACKING ON
            r GET k; r CLIENT TRACKING OFF; r CLIENT TRACKING ON BCAST PREFIX z; w SET k w
            r CLIENT TRACKING OFF; r CLIENT TRACKING ON; r GET k; r CLIENT TRACKING OFF; w INFO; w SET k x
            r CLIENT TRACKING ON; w SET k y; r GET k; r CLIENT TRACKING OFF; r CLIENT TRACKING ON; w SET k z
            """,
        ["opting in"] = """
            r HELLO 3; r CLIENT TRACKING ON OPTIN; r GET k; w SET k v; r CLIENT CACHING YES; r GET k; r GET j
            w MSET k 1 j 2; r CLIENT CACHING YES; r PING; r GET k; w SET k w; r CLIENT CACHING YES
            r CLIENT GETNAME; r GET k; w SET k x; r CLIENT CACHING YES; r CLIENT TRACKINGINFO; r NONE
            r CLIENT TRACKINGINFO; r GET k; w SET k y; r CLIENT CACHING YES; r GET; r GET k; w SET k z
            r CLIENT CACHING YES; r MULTI; r GET k; r GET j; r EXEC; r GET i; w MSET k 1 j 2 i 3
            r MULTI; r CLIENT CACHING YES; r GET k; r GET j; r EXEC; w MSET k 1 j 2
            r CLIENT CACHING YES; r MULTI; r GET k; r DISCARD; r GET k; w SET k a
            r CLIENT CACHING NO; r CLIENT TRACKING ON OPTOUT; r CLIENT CACHING YES
            r EVAL return{redis.call('get','k')} 1 k; r GET j; w MSET k 1 j 2
            r CLIENT CACHING YES; r CLIENT TRACKING ON OPTIN; r GET k; w SET k b
            """,
        ["opting out"] = """
            r HELLO 3; r CLIENT TRACKING ON OPTOUT; r GET k; w SET k v; r CLIENT CACHING NO; r GET k; r GET j
            w MSET k 1 j 2; r CLIENT CACHING NO; r MULTI; r GET k; r EXEC; r GET j; w MSET k 1 j 2
            r CLIENT CACHING NO; r CLIENT TRACKINGINFO; r CLIENT CACHING YES; r GET k; w SET k w
            r CLIENT TRACKING ON OPTIN; r CLIENT TRACKING ON OPTOUT NOLOOP; r GET k; r SET k x; w SET k y
            """,
        ["NOLOOP"] = """
            r HELLO 3; s HELLO 3; r CLIENT TRACKING ON NOLOOP; s CLIENT TRACKING ON; r GET k; s GET k
            r SET k v; w SET k w; r GET k; w SET k x; r GET k; r MULTI; r SET k y; r GET k; r EXEC; w SET k z
            r GET k; r EVAL redis.call('set','k','1') 1 k; w SET k a; r FLUSHALL; r GET k; r FLUSHDB
            r GET k; r GETDEL k; w SET k b
            """,
        ["NOLOOP, redirected"] = """
            l SUBSCRIBE __redis__:invalidate; r CLIENT TRACKING ON NOLOOP REDIRECT {l}; r GET k; r SET k v
            r GET k; l PING; w SET k w; r FLUSHALL
            """,
        ["expired keys"] = """
            r HELLO 3; s HELLO 3; r CLIENT TRACKING ON NOLOOP; s CLIENT TRACKING ON BCAST; r SET k v
            r PEXPIRE k 300; expire k; r SET j v; r GET j; r PEXPIRE j 300; r TTL j; expire j; r GET k
            r EXISTS k; w SET k v
            """,
        ["a set of fields that is emptied"] = """
            r HELLO 3; r CLIENT TRACKING ON; w HSET h f v; r HGET h f; r HDEL h f; w HSET h f v
            r HGETALL h; r HLEN h; w HDEL h f; w LPUSH l a; r LRANGE l 0 -1; r RPOP l; w SADD s a
            r SMEMBERS s; w SPOP s; w ZADD z 1 a; r ZRANGE z 0 -1; w ZPOPMIN z
            """,
        ["databases"] = """
            r HELLO 3; r CLIENT TRACKING ON; r GET k; w SELECT 1; w SET k v; r GET k; w SELECT 0; w FLUSHDB
            r GET k; r SELECT 1; r GET k; w SET k 1; r GET k; w MOVE k 1; r DEL k; r GET k; w MOVE k 1
            w SELECT 2; w FLUSHDB; s HELLO 3; s CLIENT TRACKING ON BCAST; w FLUSHALL ASYNC; w FLUSHDB SYNC
            """,
        ["scripts"] = """
            r HELLO 3; s HELLO 3; r CLIENT TRACKING ON; s CLIENT TRACKING ON BCAST; r MGET a b c
            w EVAL redis.call('mset',KEYS[1],'1',KEYS[2],'2') 2 a b
            r EVAL return(redis.call('get',KEYS[1])) 1 a; w SET a v
            r EVAL redis.call('set',KEYS[1],'1') 1 a; w SET a w
            r EVAL redis.call('get',KEYS[1])redis.call('set',KEYS[1],'1') 1 a; w SET a x; w SET c 1
            w SCRIPT FLUSH; r EVAL redis.call('set',KEYS[1],'1')redis.call('get',KEYS[1]) 1 a; w SET a y
            r EVAL_RO return(redis.call('get',KEYS[1])) 1 a; w EVAL redis.call('flushall') 0
            r MGET a b; w EVAL redis.call('set',KEYS[1],'1')error('x') 1 a
            """,
        ["waiting clients"] = """
            r HELLO 3; r CLIENT TRACKING ON; r LRANGE l 0 -1; r? BLMOVE l m LEFT LEFT 0; w RPUSH l a; r.
            r LRANGE m 0 -1; r GET k; s BLPOP m 0; r GET k; r? BLPOP n 0; w SET k v; w RPUSH n a; r.
            """,
        ["transactions of others"] = """
            r HELLO 3; r CLIENT TRACKING ON; r MGET a b c; w MULTI; w SET b 1; w SET a 1; w SET b 2; w EXEC
            r MGET a b c; w MULTI; w FLUSHALL; w SET a 1; w EXEC; r MGET a b; w MULTI; w SET a 1
            w DISCARD; w WATCH a; r SET a 1; w MULTI; w SET b 1; w EXEC
            """,
        ["a listener of events that tracks"] = """
            r HELLO 3; r CLIENT TRACKING ON; r SUBSCRIBE c; r GET k; w SET k v; r GET k; w PUBLISH c m
            r UNSUBSCRIBE c; w SET k w; w CLIENT TRACKING ON; w GET k; w HELLO 3; r SET k x; w RESET
            w HELLO 3; r SET k y
            """,
        ["fields of INFO"] = """
            r HELLO 3; s HELLO 3; r CLIENT TRACKING ON; s CLIENT TRACKING ON; r MGET a b c; s MGET b c d
            w INFO; w SET b 1; w INFO; r GET a; w INFO; r!; w INFO; w SET a 1; w INFO; s CLIENT TRACKING OFF
            w INFO; s CLIENT TRACKING ON BCAST PREFIX a PREFIX b; w INFO; w FLUSHALL; w INFO
            """,
    };

    /// <summary>The names of the conversations.</summary>
    public static TheoryData<string> Conversations() => [.. s_conversations.Keys];

    [Theory]
    [MemberData(nameof(Conversations))]
    public void EachClientGetsWhatItGetsFromRedis(string conversation)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using var clients = new TrackingConversation(oracle);
        List<string> differences = [];
        foreach (string line in s_conversations[conversation].Split(["; ", "\n"], StringSplitOptions.None))
        {
            if (clients.Step(line) is { } difference)
                differences.Add(difference);
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }
}
