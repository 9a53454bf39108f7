using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Channels;

/// <summary>
/// Random subscriptions and messages of one client, over RESP2 (where a subscriber may do little else) or
/// RESP3 (where it may publish, too, also to itself).
/// </summary>
internal sealed class ChannelWorkload : IWorkload
{
    private const int ChannelCount = 3;
    private const int LivesMax = 1000;

    private static readonly string[] s_patterns = ["news:*", "new?:*"];

    private readonly ChannelModel _model;
    private readonly Dictionary<string, Listening> _asked = [];
    private readonly Dictionary<string, Listening> _confirmed = [];
    private readonly List<Listening> _open = [];
    private readonly Dictionary<int, int> _serialByPublisher = [];
    private RandomSource _random;
    private int _self;
    private int _askedProtocol = 2;
    private int _protocol = 2;
    private long _invokedLast;

    /// <summary>Makes a workload.</summary>
    /// <param name="client">Number of the client.</param>
    /// <param name="seed">What it does comes from this.</param>
    /// <param name="model">The model that these clients share.</param>
    public ChannelWorkload(int client, ulong seed, ChannelModel model)
    {
        _self = client * LivesMax;
        _model = model;
        _random = new RandomSource(seed);
    }

    /// <summary>For the canary: the next message that comes is overlooked.</summary>
    public bool OverlooksMessage { get; set; }

    private bool IsConfined => _askedProtocol == 2 && _asked.Count > 0;

    /// <inheritdoc/>
    public Request Next() => _random.NextBelow(16) switch
    {
        0 or 1 or 2 => Enter([RandomChannel()], isPattern: false),
        3 => Enter([RandomChannel(), RandomChannel()], isPattern: false),
        4 => Enter([RandomPattern()], isPattern: true),
        5 => Leave([RandomChannel()], isPattern: false),
        6 => Leave([RandomPattern()], isPattern: true),
        7 => LeaveAll(isPattern: _random.NextBelow(2) == 0),
        8 => Ping(),
        9 when _random.NextBelow(4) == 0 => Reset(),
        _ when IsConfined => Ping(),
        9 => Hello(),
        10 => PublishTwice(),
        _ => Publish(),
    };

    /// <inheritdoc/>
    public bool TryPush(RespValue reply)
    {
        bool isForPattern = reply.Items is [{ Text: "pmessage" }, _, _, _];
        if (!isForPattern && reply.Items is not [{ Text: "message" }, _, _])
            return false;
        if (reply.Kind != PushKind)
            throw new InvalidDataException($"Not a message of RESP{_protocol}: {reply}");
        if (!_confirmed.TryGetValue(reply.Items[1].Text, out Listening? listening)
            || listening.IsPattern != isForPattern)
            throw new InvalidDataException($"Not subscribed to this: {reply}");
        if (OverlooksMessage)
            OverlooksMessage = false;
        else
            See(_model.Receive(listening, reply.Items[^2].Text, reply.Items[^1].Text));
        return true;
    }

    /// <inheritdoc/>
    public void Disconnect()
    {
        Lose([.. _open]);
        _confirmed.Clear();
        _asked.Clear();
        _askedProtocol = _protocol = 2;
        _self++;
        _invokedLast = 0;
        _serialByPublisher.Clear();
    }

    private char PushKind => _protocol == 3 ? '>' : '*';

    private void See(Message message)
    {
        if (message.Publisher == _self && message.ReturnedAt is null)
            throw new InvalidDataException($"{message} came to its publisher before the reply.");
        if (message.ReturnedAt < _invokedLast
            || message.Serial < _serialByPublisher.GetValueOrDefault(message.Publisher))
            throw new InvalidDataException($"{message} came behind what was published after it.");
        _invokedLast = Math.Max(_invokedLast, message.InvokedAt);
        _serialByPublisher[message.Publisher] = message.Serial;
    }

    private Request Enter(string[] topics, bool isPattern)
    {
        var expected = new List<(string Topic, int Count, Listening? Added)>();
        foreach (string topic in topics)
        {
            Listening? added = null;
            if (!_asked.ContainsKey(topic))
            {
                _asked.Add(topic, added = _model.Enter(topic, isPattern));
                _open.Add(added);
            }

            expected.Add((topic, _asked.Count, added));
        }

        string word = isPattern ? "psubscribe" : "subscribe";
        return new Request(RespClient.Encode([word, .. topics]), topics.Length, replies =>
        {
            for (int index = 0; index < replies.Count; index++)
            {
                Confirm(replies[index], word, expected[index].Topic, expected[index].Count);
                if (expected[index].Added is not { } added)
                    continue;
                added.ConfirmedAt = _model.Now();
                _confirmed.Add(added.Topic, added);
            }
        });
    }

    private Request Leave(string[] topics, bool isPattern)
    {
        string word = isPattern ? "punsubscribe" : "unsubscribe";
        Listening[] left = [.. topics.Select(TakeAsked).OfType<Listening>()];
        int count = _asked.Count;
        return new Request(RespClient.Encode([word, .. topics]), topics.Length, replies =>
        {
            Confirm(replies[0], word, topics[0], count);
            End(left);
        });
    }

    private Request LeaveAll(bool isPattern)
    {
        string word = isPattern ? "punsubscribe" : "unsubscribe";
        string?[] topics =
            [.. _asked.Values.Where(one => one.IsPattern == isPattern).Select(static one => one.Topic)];
        Listening[] left = [.. topics.Select(topic => TakeAsked(topic!)).OfType<Listening>()];
        int count = _asked.Count;
        if (topics.Length == 0)
            topics = [null];
        return new Request(RespClient.Encode([word]), topics.Length, replies =>
        {
            string?[] named = [.. replies.Select(static one =>
                one.Items is [_, { Kind: '$' } name, _] ? name.Text : null)];
            if (!named.Order().SequenceEqual(topics.Order()))
                throw new InvalidDataException($"{word} got {string.Join(", ", replies)}");
            for (int index = 0; index < replies.Count; index++)
                Confirm(replies[index], word, named[index], count + replies.Count - 1 - index);
            End(left);
        });
    }

    private Request Publish()
    {
        Message message = _model.Publish(_self, RandomChannel());
        return Request.Of(["PUBLISH", message.Channel, message.Payload], reply => IsCount(message, reply))
            with { IsWrite = true };
    }

    /// <summary>Two messages of a transaction; the second may go to another channel.</summary>
    private Request PublishTwice()
    {
        Message first = _model.Publish(_self, RandomChannel());
        Message second = _model.Publish(_self, RandomChannel());
        byte[] bytes =
        [
            .. RespClient.Encode(["MULTI"]),
            .. RespClient.Encode(["PUBLISH", first.Channel, first.Payload]),
            .. RespClient.Encode(["PUBLISH", second.Channel, second.Payload]),
            .. RespClient.Encode(["EXEC"]),
        ];
        return new Request(bytes, 4, replies =>
        {
            if (replies[3].Items is not [var one, var two] || !IsCount(first, one) || !IsCount(second, two))
                throw new InvalidDataException($"Two PUBLISH got {string.Join(", ", replies)}");
        })
        {
            IsWrite = true,
        };
    }

    private Request Ping() => _random.NextBelow(3) switch
    {
        0 when IsConfined => Request.Of(["PUBLISH", RandomChannel(), "no"], static reply =>
            reply is { Kind: '-' } && reply.Text.StartsWith("ERR Can't execute 'publish'"))
            with { IsRefused = true },
        1 when IsConfined => Request.Of(["PING", "p"], static reply =>
            reply is { Kind: '*', Items: [{ Text: "pong" }, { Text: "p" }] }),
        _ when IsConfined => Request.Of(["PING"], static reply =>
            reply is { Kind: '*', Items: [{ Text: "pong" }, { Kind: '$', Text: "" }] }),
        _ => Request.Of(["PING"], static reply => reply is { Kind: '+', Text: "PONG" }),
    };

    private Request Hello()
    {
        int protocol = _askedProtocol = _random.NextBelow(4) == 0 ? 2 : 3;
        return Request.Of(["HELLO", protocol.ToString(CultureInfo.InvariantCulture)], reply =>
        {
            _protocol = protocol;
            return reply.Kind == (protocol == 3 ? '%' : '*')
                && reply["proto"] is { Kind: ':' } shown
                && shown.Text == protocol.ToString(CultureInfo.InvariantCulture);
        });
    }

    /// <summary>Ends all subscriptions without confirmations; messages under way are unknown.</summary>
    private Request Reset()
    {
        _asked.Clear();
        _askedProtocol = 2;
        return Request.Of(["RESET"], reply =>
        {
            _protocol = 2;
            Lose([.. _confirmed.Values]);
            _confirmed.Clear();
            return reply is { Kind: '+', Text: "RESET" };
        });
    }

    private void Confirm(RespValue reply, string word, string? topic, int count)
    {
        bool isRight = reply.Kind == PushKind
            && reply.Items is [var kind, var name, { Kind: ':' } number]
            && kind.Text == word
            && (topic is null ? name.Kind == '_' : name.Text == topic)
            && number.Text == count.ToString(CultureInfo.InvariantCulture);
        if (!isRight)
            throw new InvalidDataException($"{word} {topic} ({count}) got {reply}");
    }

    private bool IsCount(Message message, RespValue reply)
    {
        message.ReturnedAt = _model.Now();
        message.Count = reply.Kind == ':' ? long.Parse(reply.Text, CultureInfo.InvariantCulture) : -1;
        return message.Count >= 0;
    }

    private Listening? TakeAsked(string topic)
    {
        if (!_asked.Remove(topic, out Listening? listening))
            return null;
        listening.LeaveRequestedAt = _model.Now();
        return listening;
    }

    private void End(Listening[] listenings)
    {
        foreach (Listening listening in listenings)
        {
            listening.LeftAt = _model.Now();
            _confirmed.Remove(listening.Topic);
            _open.Remove(listening);
        }
    }

    private void Lose(Listening[] listenings)
    {
        foreach (Listening listening in listenings)
        {
            listening.IsLost = true;
            _open.Remove(listening);
        }
    }

    private string RandomChannel() => $"news:{_random.NextBelow(ChannelCount)}";

    private string RandomPattern() => s_patterns[_random.NextBelow((ulong)s_patterns.Length)];
}
