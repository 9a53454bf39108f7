using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential;

/// <summary>COMMAND, and CLUSTER of a server alone, reply as redis-server does, in both protocols.</summary>
public sealed class CommandReplyTests
{
    // Commands whose specs are those of the oracle (see SpecDifferences), without notes.
    private static readonly string[] s_lines =
    [
        "COMMAND INFO get mget config|get CONFIG|SET bitop lcs Object|Encoding memory|usage no no|get",
        "COMMAND INFO expire del publish watch debug shutdown info copy rename slowlog|get",
        "COMMAND DOCS no config|no",
        "COMMAND LIST FILTERBY MODULE x", "COMMAND LIST FILTERBY ACLCAT no",
        "COMMAND LIST FILTERBY ACLCAT @read",
        "COMMAND LIST FILTERBY ACLCAT Transaction", "COMMAND LIST FILTERBY ACLCAT 1",
        "COMMAND LIST FILTERBY PATTERN CONFIG|*", "COMMAND LIST FILTERBY PATTERN b*f*ld*",
        "COMMAND LIST FILTERBY PATTERN mem*", "COMMAND LIST filterby pattern no",
        "COMMAND LIST FILTERBY", "COMMAND LIST FILTERBY PATTERN", "COMMAND LIST FILTERBY NO x",
        "COMMAND LIST NO PATTERN x", "COMMAND LIST FILTERBY MODULE x y", "COMMAND LIST x",
        "COMMAND GETKEYS get k", "COMMAND GETKEYS set k", "COMMAND GETKEYS no k",
        "COMMAND GETKEYS ping k", "COMMAND GETKEYS mset a 1 b 2 c", "COMMAND GETKEYS mset a 1",
        "COMMAND GETKEYS bitop and d a b", "COMMAND GETKEYS object encoding k",
        "COMMAND GETKEYS object encoding", "COMMAND GETKEYS eval x 0",
        "COMMAND GETKEYS eval x 2 a", "COMMAND GETKEYS eval x 2147483647 a", "COMMAND GETKEYS eval x -1 a",
        "COMMAND GETKEYS eval x y a", "COMMAND GETKEYSANDFLAGS fcall f 2 a", "COMMAND GETKEYS zunion 2 a",
        "COMMAND GETKEYS object no k", "COMMAND GETKEYS memory usage k samples 5",
        "COMMAND GETKEYS config get a",
        "COMMAND GETKEYS client no a", "COMMAND GETKEYS debug object k", "COMMAND GETKEYS watch a b",
        "COMMAND GETKEYSANDFLAGS lcs a b", "COMMAND GETKEYSANDFLAGS rename a b",
        "COMMAND GETKEYSANDFLAGS del a b",
        "COMMAND GETKEYSANDFLAGS set k v", "COMMAND GETKEYSANDFLAGS set k v EX 1 Get",
        "COMMAND GETKEYSANDFLAGS bitfield k", "COMMAND GETKEYSANDFLAGS bitfield k GET u8 0",
        "COMMAND GETKEYSANDFLAGS bitfield k OVERFLOW SAT GET u8 0", "COMMAND GETKEYSANDFLAGS ping a b",
        "COMMAND GETKEYSANDFLAGS bitfield k GET u8 0 SET u8 0 1",
        "COMMAND GETKEYS sort a by b store c store d", "COMMAND GETKEYS sort a limit 1 store store d",
        "COMMAND GETKEYSANDFLAGS sort a by b* store c get store", "COMMAND GETKEYS sort_ro a by b*",
        "COMMAND GETKEYS georadius k 1 2 3 m store a storedist b",
        "COMMAND GETKEYSANDFLAGS georadius k 1 2 3 m storedist b",
        "COMMAND GETKEYS georadius k 1 2 3 m store",
        "CLUSTER", "CLUSTER HELP", "CLUSTER INFO", "CLUSTER KEYSLOT", "CLUSTER NO", "CLUSTER INFO x",
        "ASKING", "ASKING x", "READONLY", "READWRITE", "READONLY x", "SENTINEL MASTERS",
        "COMMAND COUNT x", "COMMAND HELP x", "COMMAND NO", "COMMAND GETKEYS",
    ];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAreThoseOfRedis(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        redis.Call("HELLO", $"{protocol}");
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol: protocol);
        foreach (string line in s_lines)
        {
            string[] words = line.Split(' ');
            bool isSet = line.Contains("LIST", StringComparison.Ordinal);
            Assert.Equal(
                line + " => " + Comparable(redis.Call(words), isSet),
                line + " => " + Comparable(ours.Call(words), isSet));
        }
    }

    [Fact]
    public void AllEntriesAndDocsSayWhatTheSpecsSay()
    {
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol: 3);
        CommandFacts specs = CommandFacts.OfSpecs();
        CommandFacts replies = CommandFacts.Of(ours.Call("COMMAND"), ours.Call("COMMAND", "DOCS"));
        Assert.Equal(specs.Facts, replies.Facts);
        Assert.Equal($"{ours.Call("COMMAND")}", $"{ours.Call("COMMAND", "INFO")}");
        int count = specs.Names.Count(name => !name.Contains('|'));
        Assert.Equal($":{count}", $"{ours.Call("COMMAND", "COUNT")}");
        Assert.Equal(specs.Names.Count(), ours.Call("COMMAND", "LIST").Items.Count);
        Assert.Equal(2, ours.Call("COMMAND", "DOCS", "get", "no", "config|get").Items.Count / 2);
        Assert.Equal("COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            ours.Call("COMMAND", "HELP").Items[0].Text);
    }

    // Newer versions have these, the oracle does not; those of 8.0 as 8.0.6 replies, the others from their
    // documentation.
    [Theory]
    [InlineData("COMMAND GETKEYS get", "-ERR Invalid number of arguments specified for command")]
    [InlineData("COMMAND GETKEYSANDFLAGS set", "-ERR Invalid number of arguments specified for command")]
    [InlineData("COMMAND GETKEYS ping", "-ERR The command has no key arguments")]
    [InlineData("COMMAND GETKEYS none", "-ERR Invalid command specified")]
    [InlineData("COMMAND GETKEYS msetex 2 a 1 b 2 EX 5", "*[$a, $b]")]
    [InlineData("COMMAND GETKEYS msetex 3 a 1 b 2", "-ERR Invalid arguments specified for command")]
    [InlineData("COMMAND GETKEYS msetex 0 a 1", "-ERR Invalid arguments specified for command")]
    [InlineData("COMMAND GETKEYS msetex x a 1", "-ERR Invalid arguments specified for command")]
    [InlineData("COMMAND GETKEYSANDFLAGS set k v IFEQ x", "*[*[$k, ~[+RW, +access, +update]]]")]
    [InlineData("COMMAND GETKEYSANDFLAGS delex k", "*[*[$k, ~[+RM, +delete]]]")]
    [InlineData("COMMAND GETKEYSANDFLAGS delex k IFEQ x", "*[*[$k, ~[+RW, +delete]]]")]
    [InlineData("COMMAND GETKEYSANDFLAGS delifeq k x", "*[*[$k, ~[+RM, +access, +delete]]]")]
    public void KeysOfNewerCommandsAreFound(string line, string reply)
    {
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol: 3);
        Assert.Equal(reply, $"{ours.Call(line.Split(' '))}");
    }

    // Names come in any order.
    private static string Comparable(RespValue reply, bool isSetOfNames)
    {
        if (!isSetOfNames || reply.Kind != '*') return $"{reply}";
        IEnumerable<string> names = reply.Items.Select(item => $"{item}");
        return $"{reply.Kind}{string.Join(' ', names.Order(StringComparer.Ordinal))}";
    }
}
