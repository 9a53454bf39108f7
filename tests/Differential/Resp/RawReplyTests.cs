using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Cinnabar.Engine.Specs;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

/// <summary>
/// Replies of every command, byte for byte beside redis-server's, in both protocols: which of the nulls, how
/// doubles are written, what is a map, a set, a push or a verbatim string.
/// </summary>
public sealed partial class RawReplyTests
{
    /// <summary>The scripts in both protocols.</summary>
    public static TheoryData<string, int> Scripts()
    {
        var data = new TheoryData<string, int>();
        foreach (string name in RawReplyScripts.All.Keys)
        {
            data.Add(name, 2);
            data.Add(name, 3);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Scripts))]
    public void BytesAreThoseOfRedis(string name, int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        // On a busy machine any command may be slow.
        using OracleServer oracle = OracleServer.Start(
            "--enable-debug-command", "yes", "--slowlog-log-slower-than", "-1");
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer(
            1, ("enable-debug-command", "yes"), ("slowlog-log-slower-than", "-1"));
        RespClient ours = server.Connect(protocol);
        redis.Call("HELLO", $"{protocol}");
        List<string> differences = [];
        foreach (string line in RawReplyScripts.All[name])
        {
            string[] words = RawReplyScripts.WordsOf(line);
            (string own, string theirs) = (ReplyTo(words, ours), ReplyTo(words, redis));
            if (Comparable(line, theirs) != Comparable(line, own))
                differences.Add($"{line}\n  redis {Shown(theirs)}\n  ours  {Shown(own)}");
        }

        Assert.Equal(RestOf(redis), RestOf(ours));
        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void ConversationsAreThoseWithRedis(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using OracleServer guarded = OracleServer.Start("--requirepass", "secret");
        List<string> differences = [];
        foreach (string conversation in RawReplyScripts.Conversations)
            Converse(oracle, "", $"HELLO {protocol}; {conversation}", differences);
        foreach (string conversation in RawReplyScripts.GuardedConversations)
        {
            Converse(guarded, "secret", conversation, differences);
            Converse(guarded, "secret", $"HELLO {protocol} AUTH default secret; {conversation}", differences);
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    // Since Redis 7.2 HELLO does nothing where one of its arguments is wrong, and what a client publishes to
    // itself comes behind the reply.
    [Theory]
    [InlineData("HELLO 2 SETNAME d NO; CLIENT GETNAME", "-ERR Syntax error in HELLO option 'NO'|$-1|+OK|")]
    [InlineData("HELLO 3 SETNAME r AUTH nobody x; CLIENT GETNAME; HGETALL none",
        "-WRONGPASS invalid username-password pair or user is disabled.|$-1|*0|+OK|")]
    [InlineData("HELLO 3 AUTH default x NO; HGETALL none", "-ERR Syntax error in HELLO option 'NO'|*0|+OK|")]
    [InlineData("MULTI; SUBSCRIBE a; PUBLISH a m; GET none; EXEC",
        "+OK|+QUEUED|+QUEUED|+QUEUED|*3|*3|$9|subscribe|$1|a|:1|:1|$-1|*3|$7|message|$1|a|$1|m|+OK|")]
    public void NewerConversationsAreAsDocumented(string conversation, string bytes)
    {
        string own = OwnConversation(Request(conversation), "");
        Assert.Equal(bytes, own.Replace("\r\n", "|", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("PUBLISH a m", ":1|>3|$7|message|$1|a|$1|m|")]
    [InlineData("SPUBLISH s m", ":1|>3|$8|smessage|$1|s|$1|m|")]
    public void WhatAClientPublishesToItselfComesBehindTheReply(string line, string bytes)
    {
        using var server = new OwnServer();
        RespClient client = server.Connect(protocol: 3);
        client.Run("SUBSCRIBE a");
        client.Run("SSUBSCRIBE s");
        client.Send(line.Split(' '));
        Assert.Equal(bytes, RestOf(client).Replace("\r\n", "|", StringComparison.Ordinal));
    }

    [Fact]
    public void EveryCommandIsCompared()
    {
        IEnumerable<string> lines = RawReplyScripts.All.Values.SelectMany(static lines => lines)
            .Concat(RawReplyScripts.Conversations.Concat(RawReplyScripts.GuardedConversations)
                .SelectMany(static conversation => conversation.Split("; ")));
        HashSet<string> compared = [.. lines.Select(static line =>
            RawReplyScripts.WordsOf(line)[0].ToLowerInvariant())];
        IReadOnlyDictionary<string, string> facts = CommandFacts.OfSpecs().Facts;
        List<string> missing = [];
        foreach (CommandSpec spec in new CommandTable().All)
        {
            bool isOld = System.Version.Parse(facts[spec.Name + " since"][1..])
                <= new System.Version(7, 0, 15);
            if (isOld && !compared.Contains(spec.Name) && !RawReplyScripts.Elsewhere.Contains(spec.Name))
                missing.Add(spec.Name);
        }

        Assert.Empty(missing);
    }

    // The replies, with the pushes and attributes before each. What is pushed behind the last one stands
    // before the next command's.
    private static string ReplyTo(string[] words, RespClient client)
    {
        client.Send(words);
        bool isSubscription = words[0].EndsWith("SUBSCRIBE", StringComparison.Ordinal);
        var all = new StringBuilder();
        for (int left = isSubscription ? Math.Max(words.Length - 1, 1) : 1; left > 0;)
        {
            string reply = client.ReadRaw();
            all.Append(reply);
            bool isConfirmation = isSubscription && reply.Contains("subscribe\r\n", StringComparison.Ordinal);
            if (isConfirmation || reply[0] is not ('>' or '|'))
                left--;
        }

        return all.ToString();
    }

    // What no command has read.
    private static string RestOf(RespClient client)
    {
        const string End = "$3\r\nend\r\n";
        client.Send("ECHO", "end");
        var all = new StringBuilder();
        for (string reply = client.ReadRaw(); reply != End; reply = client.ReadRaw())
            all.Append(reply);
        return all.ToString();
    }

    // All lines in one piece, until the server closes the connection.
    private static void Converse(
        OracleServer oracle, string password, string conversation, List<string> differences)
    {
        string request = Request(conversation);
        string theirs = RespClient.Exchange(oracle.Port, Encoding.Latin1.GetBytes(request));
        string own = OwnConversation(request, password);
        if (Comparable("", theirs) != Comparable("", own))
            differences.Add($"{conversation}\n  redis {Shown(theirs)}\n  ours  {Shown(own)}");
    }

    private static string Request(string conversation)
    {
        var request = new StringBuilder();
        foreach (string line in conversation.Split("; ").Append("QUIT"))
        {
            string[] words = RawReplyScripts.WordsOf(line);
            request.Append(words[0] == "INLINE" ? $"{string.Join(' ', words[1..])}\r\n"
                : Encoding.Latin1.GetString(RespClient.Encode(words)));
        }

        return request.ToString();
    }

    private static string OwnConversation(string request, string password)
    {
        using var server = new OwnServer(1, ("requirepass", password));
        return RespClient.Exchange(server.Port, Encoding.Latin1.GetBytes(request));
    }

    private static string Comparable(string line, string bytes)
    {
        if (line.StartsWith('?'))
            return string.Concat(RawReplies.Of(bytes, isShape: true));
        // Since Redis 7.2 this error names another argument.
        string known = bytes.Replace("HELLO <proto> AUTH", "HELLO AUTH", StringComparison.Ordinal);
        return Identity().Replace(Version().Replace(known, "$$version"), "$2\r\nid\r\n:id");
    }

    private static string Shown(string bytes) =>
        bytes.Replace("\r\n", " ", StringComparison.Ordinal);

    [GeneratedRegex(@"\$\d\r\n(7\.0\.15|8\.0\.0)")]
    private static partial Regex Version();

    [GeneratedRegex(@"\$2\r\nid\r\n:\d+")]
    private static partial Regex Identity();
}
