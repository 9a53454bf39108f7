using System;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>Scripts and functions on servers that may not write: what their first line says decides before
/// they run, also on the way into a transaction and at EXEC.</summary>
public sealed class RefusedScriptTests
{
    private const string Library = """
        #!lua name=lib
        redis.register_function('put', function() return redis.call('SET', 'a', 1) end)
        redis.register_function{function_name = 'get',
            callback = function() return redis.call('GET', 'a') end, flags = {'no-writes'}}
        redis.register_function{function_name = 'old', callback = function() return 7 end,
            flags = {'no-writes', 'allow-stale'}}
        """;

    private static readonly string[][] s_scripts =
    [
        ["EVAL", "return redis.call('SET', 'a', 1)", "0"],
        ["EVAL", "return redis.pcall('SET', 'a', 1)['err']", "0"],
        ["EVAL", "return redis.call('GET', 'a')", "0"],
        ["EVAL", "#!lua\nreturn 1", "0"],
        ["EVAL", "#!lua\nreturn redis.call('SET', 'a', 1)", "0"],
        ["EVAL", "#!lua flags=allow-oom\nreturn redis.call('SET', 'a', 1)", "0"],
        ["EVAL", "#!lua flags=allow-stale\nreturn redis.call('SET', 'a', 1)", "0"],
        ["EVAL", "#!lua flags=no-writes\nreturn redis.call('SET', 'a', 1)", "0"],
        ["EVAL", "#!lua flags=no-writes\nreturn redis.call('GET', 'a')", "0"],
        ["EVAL", "#!lua flags=no-writes,allow-stale\nreturn 2", "0"],
        ["EVAL", "#!lua flags=nosuch\nreturn 2", "0"],
        ["EVAL_RO", "#!lua\nreturn 1", "0"],
        ["EVAL_RO", "return redis.call('GET', 'a')", "0"],
        ["EVALSHA", "ffffffffffffffffffffffffffffffffffffffff", "0"],
        ["FCALL", "put", "0"], ["FCALL", "get", "0"], ["FCALL", "old", "0"], ["FCALL", "none", "0"],
        ["FCALL_RO", "put", "0"], ["FCALL_RO", "get", "0"],
    ];

    private static readonly string[][] s_prepared =
    [
        ["FUNCTION", "FLUSH"], ["SCRIPT", "FLUSH"], ["SET", "a", "old"], ["FUNCTION", "LOAD", Library],
        ["EVAL", "#!lua\nreturn redis.call('SET', 'a', 2)", "0"],
    ];


    /// <summary>Directives that refuse writes, and those that allow them again.</summary>
    public static TheoryData<string, string> Refusals => new()
    {
        { "CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0" },
        { "CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0" },
        { "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE" },
        {
            "CONFIG SET replica-serve-stale-data no;REPLICAOF 127.0.0.1 1",
            "REPLICAOF NO ONE;CONFIG SET replica-serve-stale-data yes"
        },
    };

    [Theory]
    [MemberData(nameof(Refusals))]
    public void AreRefusedAsInRedis(string refusing, string allowing)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start();
        using var own = new OwnServer(2);
        using RespClient theirs = redis.Connect();
        RespClient ours = own.Connect();
        foreach (string[] command in s_prepared)
            Compare(theirs, ours, command);
        foreach (string command in refusing.Split(';'))
            Compare(theirs, ours, command.Split(' '));
        foreach (string[] script in s_scripts)
        {
            Compare(theirs, ours, script);
            foreach (string[] command in (string[][])[["MULTI"], script, ["GET", "a"], ["EXEC"]])
                Compare(theirs, ours, command);
        }

        foreach (string command in allowing.Split(';'))
            Compare(theirs, ours, command.Split(' '));
        // Queued while all was allowed.
        foreach (string[] script in s_scripts.Where(static script => !script[1].Contains("nosuch",
            StringComparison.Ordinal)))
        {
            Compare(theirs, ours, ["MULTI"]);
            Compare(theirs, ours, script);
            using (RespClient other = redis.Connect())
            {
                RespClient second = own.Connect();
                foreach (string command in refusing.Split(';'))
                    Compare(other, second, command.Split(' '));
                Compare(theirs, ours, ["EXEC"]);
                foreach (string command in allowing.Split(';'))
                    Compare(other, second, command.Split(' '));
            }
        }

        Compare(theirs, ours, ["GET", "a"]);
        Assert.Equal(Rejected(theirs), Rejected(ours));
    }

    private static void Compare(RespClient theirs, RespClient ours, string[] command) =>
        Assert.Equal(string.Join(' ', command) + " " + theirs.Call(command),
            string.Join(' ', command) + " " + ours.Call(command));

    private static string[] Rejected(RespClient client) =>
    [
        .. client.Call("INFO", "commandstats").Text.Split("\r\n")
            .Where(static line => line.StartsWith("cmdstat_eval", StringComparison.Ordinal)
                || line.StartsWith("cmdstat_fcall", StringComparison.Ordinal))
            .Select(static line => $"{line[..line.IndexOf(':')]} {line[line.IndexOf("rejected")..]}")
            .Order(StringComparer.Ordinal),
    ];
}
