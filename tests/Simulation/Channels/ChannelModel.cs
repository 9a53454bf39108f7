// All clients' knowledge of their channels, and what must be true of it:
//
//   * a message comes to a subscription once, never before its request or after the confirmation of its end
//   * a client that was certainly subscribed throughout the publishing of a message gets it
//   * PUBLISH's reply is the number of subscriptions that got it; lost connections are unknown
//   * a client sees the messages of one publisher in the order of sending, and sees no message before one
//     whose PUBLISH was answered before the other was sent, on any channels
//   * two subscriptions see the messages of a channel in one order, those that come by a pattern included
//   * a client that publishes to itself reads PUBLISH's reply first
//
// Times are steps of the simulation: what is read at a step was true at the server before.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Channels;

/// <summary>All subscriptions and messages of a simulation.</summary>
internal sealed class ChannelModel
{
    private readonly Func<long> _now;
    private readonly List<Listening> _listenings = [];
    private readonly List<Message> _messages = [];
    private readonly Dictionary<string, Message> _byPayload = [];

    /// <summary>Makes an empty model.</summary>
    /// <param name="now">Gives a moment later than any before.</param>
    public ChannelModel(Func<long> now) => _now = now;

    /// <summary>Number of messages that any client has got.</summary>
    public int ReceivedCount => _messages.Sum(static message => message.ReceivedCount);

    /// <summary>A moment later than any before.</summary>
    public long Now() => _now();

    /// <summary>A client asks for a subscription.</summary>
    public Listening Enter(string topic, bool isPattern)
    {
        var listening = new Listening { Topic = topic, IsPattern = isPattern, RequestedAt = _now() };
        _listenings.Add(listening);
        return listening;
    }

    /// <summary>A client sends a message.</summary>
    public Message Publish(int publisher, string channel)
    {
        int serial = _messages.Count;
        var message = new Message
        {
            Channel = channel,
            Payload = $"m{serial}",
            Publisher = publisher,
            Serial = serial,
            InvokedAt = _now(),
        };
        _messages.Add(message);
        _byPayload.Add(message.Payload, message);
        return message;
    }

    /// <summary>A message has come to a subscription.</summary>
    /// <returns>The message.</returns>
    public Message Receive(Listening listening, string channel, string payload)
    {
        if (!_byPayload.TryGetValue(payload, out Message? message) || message.Channel != channel)
            throw new InvalidDataException($"{payload} was not published on {channel}.");
        if (!listening.IsOpen || !listening.Covers(channel) || message.ReturnedAt < listening.RequestedAt)
            throw new InvalidDataException($"{message} came to {listening}.");
        if (listening.Received.Contains(message))
            throw new InvalidDataException($"{message} came twice to {listening}.");
        listening.Received.Add(message);
        message.ReceivedCount++;
        return message;
    }

    /// <summary>Checks what must hold when all is quiet.</summary>
    public void Check()
    {
        if (Missing() is { } missing)
            throw new InvalidDataException(missing);
        foreach (Message message in _messages)
        {
            int lostCount = _listenings.Count(listening =>
                listening.IsLost && listening.Covers(message.Channel)
                && !listening.Received.Contains(message));
            long excess = message.Count - message.ReceivedCount;
            if (message.ReturnedAt is not null && (excess < 0 || excess > lostCount))
                throw new InvalidDataException($"{message} came to {message.ReceivedCount}.");
        }

        for (int first = 0; first < _listenings.Count; first++)
        {
            for (int second = first + 1; second < _listenings.Count; second++)
                CheckOrder(_listenings[first], _listenings[second]);
        }
    }

    /// <summary>A subscription that lacks a message, in words; null: none does.</summary>
    public string? Missing()
    {
        foreach (Message message in _messages)
        {
            // A publisher that vanished may have done so before the server knew of the message.
            if (message.ReturnedAt is null && message.ReceivedCount == 0)
                continue;
            foreach (Listening listening in _listenings)
            {
                if (listening.MustGet(message) && !listening.Received.Contains(message))
                    return $"{message} has not come to {listening}.";
            }
        }

        return null;
    }

    private static void CheckOrder(Listening first, Listening second)
    {
        var common = second.Received.ToHashSet();
        common.IntersectWith(first.Received);
        var last = new Dictionary<string, int>();
        List<Message> shared = [.. first.Received.Where(common.Contains)];
        foreach (Message message in second.Received.Where(common.Contains))
        {
            int place = shared.IndexOf(message);
            if (last.TryGetValue(message.Channel, out int before) && place < before)
                throw new InvalidDataException($"{message} came to {first} and {second} in other orders.");
            last[message.Channel] = place;
        }
    }
}
