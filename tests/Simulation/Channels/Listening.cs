using System.Collections.Generic;

namespace Cinnabar.Tests.Simulation.Channels;

/// <summary>One client's subscription to one channel or pattern, from its request to its end.</summary>
internal sealed class Listening
{
    /// <summary>The channel or pattern.</summary>
    public required string Topic { get; init; }

    /// <summary>Whether it is a pattern: all channels match it.</summary>
    public required bool IsPattern { get; init; }

    /// <summary>When it was asked for.</summary>
    public required long RequestedAt { get; init; }

    /// <summary>When its confirmation was read; null: not yet.</summary>
    public long? ConfirmedAt { get; set; }

    /// <summary>When its end was asked for; null: not yet.</summary>
    public long? LeaveRequestedAt { get; set; }

    /// <summary>When the confirmation of its end was read; null: not yet.</summary>
    public long? LeftAt { get; set; }

    /// <summary>Whether its connection was lost.</summary>
    public bool IsLost { get; set; }

    /// <summary>The messages that came, in order.</summary>
    public List<Message> Received { get; } = [];

    /// <summary>Whether messages may come.</summary>
    public bool IsOpen => LeftAt is null && !IsLost;

    /// <summary>Whether a message on a channel belongs to it.</summary>
    public bool Covers(string channel) => IsPattern || Topic == channel;

    /// <summary>Whether a message that was sent must have come, or has still to come.</summary>
    public bool MustGet(Message message) =>
        Covers(message.Channel)
        && !IsLost
        && ConfirmedAt < message.InvokedAt
        && (LeaveRequestedAt is null || message.ReturnedAt < LeaveRequestedAt);

    /// <inheritdoc/>
    public override string ToString() =>
        $"{Topic} ({RequestedAt}-{ConfirmedAt} to {LeaveRequestedAt}-{LeftAt}{(IsLost ? ", lost" : "")})";
}
