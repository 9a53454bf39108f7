using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>ACL LOG after random denials is that of redis-server: its entries, their order, their counts and
/// what they say.</summary>
public sealed partial class AccessLogOracleTests
{
    private const int StepCount = 300;

    // u: a client whose user has few rights; a: one whose user has all.
    private static readonly string[] s_steps =
    [
        "u GET k1", "u GET k2", "u GET a1", "u SET k1 v", "u SET a1 v", "u DEL a1 k1", "u MGET k1 k2",
        "u AUTH user wrong", "u AUTH wrong", "a AUTH user wrong", "a AUTH nobody x", "u AUTH nobody x",
        "u HELLO 2 AUTH user wrong", "u HELLO 3 AUTH nobody x", "u CONFIG GET port", "u CONFIG SET port 1",
        "u CLIENT ID", "u CLIENT SETNAME n", "u FLUSHALL", "u PUBLISH ch m", "u PUBLISH ok m",
        "u PUBLISH other m", "u MULTI", "u EXEC", "u DISCARD", "u EVAL redis.call('get','k1') 0",
        "u EVAL redis.call('set','a1','v') 0", "u EVAL redis.call('publish','ch','m') 0",
        "u EVAL redis.call('get','a1') 1 k1", "u SELECT 1", "u SELECT 0", "u NONE", "u GET", "u COPY a1 k1",
        "u SORT a1 BY w*", "a ACL LOG RESET",
        "a CONFIG SET acllog-max-len -1", "a ACL SETUSER user +set", "a ACL SETUSER user -set",
    ];

    private static readonly string[] s_looks =
        ["ACL LOG", "ACL LOG 0", "ACL LOG 1", "ACL LOG 4", "ACL LOG 100000", "ACL LOG -1"];

    [Theory]
    [InlineData("128")]
    [InlineData("7")]
    [InlineData("1")]
    public void EntriesAreThoseOfTheOracle(string countMax)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using var server = new OwnServer(loopCount: 2);
        using RespClient theirAdmin = oracle.Connect();
        using RespClient theirUser = oracle.Connect();
        RespClient ourAdmin = server.Connect();
        RespClient ourUser = server.Connect();
        foreach ((RespClient admin, RespClient user) in
            (ReadOnlySpan<(RespClient, RespClient)>)[(theirAdmin, theirUser), (ourAdmin, ourUser)])
        {
            admin.Call("CONFIG", "SET", "acllog-max-len", countMax);
            admin.Call("ACL", "SETUSER", "user", "on", ">pass", "~a*", "resetchannels", "&ok", "-@all",
                "+get", "+mget", "+del", "+copy", "+sort", "+eval", "+publish", "+multi", "+exec", "+discard",
                "+config|get", "+select|0", "+auth", "+hello");
            Assert.Equal("+OK", user.Run("AUTH user pass"));
        }

        var random = new Random((int)Seeded.Seed());
        List<string> done = [];
        for (int count = 0; count < StepCount; count++)
        {
            string step = s_steps[random.Next(s_steps.Length)];
            done.Add(step);
            string[] words = step[2..].Split(' ');
            (step[0] == 'u' ? theirUser : theirAdmin).Call(words);
            (step[0] == 'u' ? ourUser : ourAdmin).Call(words);
            string[] look = s_looks[random.Next(s_looks.Length)].Split(' ');
            string expected = Shown(theirAdmin.Call(look));
            string actual = Shown(ourAdmin.Call(look));
            Assert.True(expected == actual,
                $"after {string.Join("; ", done.TakeLast(8))}:\nredis {expected}\nours  {actual}");
        }
    }

    private static string Shown(RespValue log) =>
        log.Kind == '*' ? string.Join('\n', log.Items.Select(Entry)) : $"{log}";

    // Fields that redis-server 7.0 has, but for the age.
    private static string Entry(RespValue entry)
    {
        List<string> all = [];
        for (int field = 0; field + 1 < entry.Items.Count; field += 2)
        {
            string name = entry.Items[field].Text;
            string value = $"{entry.Items[field + 1]}";
            if (name is "count" or "reason" or "context" or "object" or "username")
                all.Add($"{name} {value}");
            else if (name == "client-info")
                all.AddRange(ClientField().Matches(value).Select(static match => match.Value));
        }

        return string.Join(", ", all);
    }

    [GeneratedRegex(@"(?<= )((name|db|sub|psub|cmd|user|redir|resp|multi)=\S*)")]
    private static partial Regex ClientField();
}
