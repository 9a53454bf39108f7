// A client of a user whose rules change. What a reply shows must be allowed by the rules of some version
// between the last one that was answered when the command was sent and the last one that was sent when the
// reply came; a refusal must be right by one of them. What another client pushes or publishes after a change
// was answered must be allowed by that change, although this client has waited or listened since before it.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Access;

/// <summary>A client of a restricted user, and the check of what it gets.</summary>
internal sealed class RestrictedClient
{
    private const int SentCountMax = 8;
    private const string Script = "return {redis.pcall('get', ARGV[1]), redis.pcall('set', ARGV[2], 'v')}";

    private readonly RuleHistory _rules;
    private readonly Dictionary<string, int> _tokens;
    private readonly Random _random;
    private readonly Action<byte[]> _send;
    private readonly Queue<Action<RespValue>> _sent = new();
    private bool _isLoggedIn;

    /// <summary>Logs in.</summary>
    /// <param name="send">Sends bytes to the server.</param>
    /// <param name="random">What it does.</param>
    /// <param name="rules">The rules of its user.</param>
    /// <param name="tokens">What was pushed and published, each with the version answered before.</param>
    public RestrictedClient(Action<byte[]> send, Random random, RuleHistory rules,
        Dictionary<string, int> tokens)
    {
        (_send, _random, _rules, _tokens) = (send, random, rules, tokens);
        Send(reply => (_isLoggedIn, IsRefused) = (reply.Kind != '-', reply.Kind == '-'),
            "HELLO", "3", "AUTH", "user", "x");
    }

    /// <summary>Whether it could not log in: there was no such user.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>Commands without replies.</summary>
    public int SentCount => _sent.Count;

    /// <summary>How often it got what it asked for.</summary>
    public long AllowedCount { get; private set; }

    /// <summary>How often it was refused.</summary>
    public long DeniedCount { get; private set; }

    /// <summary>Sends a command or several.</summary>
    public void Ask()
    {
        if (!_isLoggedIn || _sent.Count > SentCountMax)
            return;
        (int one, int other) = (Subject(), Subject());
        int first = _rules.Answered;
        switch (_random.Next(9))
        {
            case 0 or 1:
                Send(reply => Check(reply, first, rules => rules.AllowsGet(one)), "GET", $"k{one}");
                break;
            case 2:
                Send(reply => Check(reply, first, rules => rules.AllowsSet(one)), "SET", $"k{one}", "v");
                break;
            case 3:
                Send(reply => CheckAll(reply, first, rules => rules.AllowsGet(one),
                    rules => rules.AllowsSet(other)), "EVAL", Script, "0", $"k{one}", $"k{other}");
                break;
            case 4:
                Send(reply => CheckAll(reply, first, rules => rules.AllowsGet(one),
                    rules => rules.AllowsSet(other)), "FCALL", "both", "0", $"k{one}", $"k{other}");
                break;
            case 5:
                Transact(one, other);
                break;
            case 6:
                Send(reply => Popped(reply, first, one), "BLPOP", $"l{one}", "0.01");
                break;
            case 7:
                Send(reply => Check(reply, first, rules => rules.AllowsChannel(one)), "SUBSCRIBE", $"c{one}");
                break;
            default:
                Send(reply => Check(reply, first, rules => rules.AllowsPublish(one)),
                    "PUBLISH", $"c{one}", "x");
                break;
        }
    }

    /// <summary>Takes a reply or a push.</summary>
    public void Accept(RespValue reply)
    {
        if (reply.Kind == '>' && reply.Items[0].Text == "message")
            Heard(reply.Items[1].Text, reply.Items[2].Text);
        else
            _sent.Dequeue()(reply);
    }

    // The commands are checked when they are queued, and again when they run.
    private void Transact(int one, int other)
    {
        int first = _rules.Answered;
        bool isAborted = false;
        Send(reply => Check(reply, first, static rules => rules.Exists), "MULTI");
        Send(reply => Queued(reply, rules => rules.AllowsGet(one)), "GET", $"k{one}");
        Send(reply => Queued(reply, rules => rules.AllowsSet(other)), "SET", $"k{other}", "v");
        Send(reply =>
        {
            if (isAborted && reply.Kind != '-')
                throw new InvalidDataException($"EXEC got {reply} after an error.");
            if (!isAborted)
                CheckAll(reply, first, rules => rules.AllowsGet(one), rules => rules.AllowsSet(other));
        }, "EXEC");

        void Queued(RespValue reply, Func<RuleHistory.Rules, bool> isAllowed)
        {
            Check(reply, first, isAllowed);
            isAborted |= reply.Kind == '-';
        }
    }

    private void Popped(RespValue reply, int first, int list)
    {
        // It has waited in vain.
        if (reply.Kind == '_')
            return;
        if (reply.Kind != '-')
            first = Math.Max(first, _tokens[reply.Items[1].Text]);
        Check(reply, first, rules => rules.AllowsPop(list));
    }

    private void Heard(string channel, string token)
    {
        int subject = int.Parse(channel.AsSpan(1), CultureInfo.InvariantCulture);
        if (_tokens.TryGetValue(token, out int first)
            && !_rules.AllowSince(first, rules => rules.AllowsChannel(subject)))
            throw new InvalidDataException($"{channel} had {token} after that was forbidden.");
        AllowedCount++;
    }

    private void CheckAll(RespValue reply, int first, params Func<RuleHistory.Rules, bool>[] areAllowed)
    {
        if (reply.Kind == '-')
        {
            Check(reply, first, static rules => rules.Exists);
            return;
        }

        if (reply.Items.Count != areAllowed.Length)
            throw new InvalidDataException($"{reply} has not {areAllowed.Length} items.");
        foreach ((RespValue item, Func<RuleHistory.Rules, bool> isAllowed) in reply.Items.Zip(areAllowed))
            Check(item, first, isAllowed);
    }

    private void Check(RespValue reply, int first, Func<RuleHistory.Rules, bool> isAllowed)
    {
        bool isDenied = reply.Kind == '-';
        if (!_rules.AllowSince(first, rules => isAllowed(rules) != isDenied))
        {
            throw new InvalidDataException(
                $"{reply} is against the rules of all versions from {first} to {_rules.Sent}.");
        }

        AllowedCount += isDenied ? 0 : 1;
        DeniedCount += isDenied ? 1 : 0;
    }

    private int Subject() => _random.Next(RuleHistory.SubjectCount);

    private void Send(Action<RespValue> accept, params string[] words)
    {
        _send(RespClient.Encode(words));
        _sent.Enqueue(accept);
    }
}
