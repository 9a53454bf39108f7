namespace Cinnabar.Tests.Simulation.Channels;

/// <summary>A message that a client has published.</summary>
internal sealed class Message
{
    /// <summary>The channel.</summary>
    public required string Channel { get; init; }

    /// <summary>What it says: no other message says it.</summary>
    public required string Payload { get; init; }

    /// <summary>Number of the client that published it.</summary>
    public required int Publisher { get; init; }

    /// <summary>Its position among all messages, as they were sent off.</summary>
    public required int Serial { get; init; }

    /// <summary>When it was sent off.</summary>
    public required long InvokedAt { get; init; }

    /// <summary>When PUBLISH's reply was read; null: it never was.</summary>
    public long? ReturnedAt { get; set; }

    /// <summary>PUBLISH's reply: the number of subscriptions that it went to.</summary>
    public long Count { get; set; }

    /// <summary>How many subscriptions have got it.</summary>
    public int ReceivedCount { get; set; }

    /// <inheritdoc/>
    public override string ToString() => $"{Payload} on {Channel} ({InvokedAt}-{ReturnedAt}, to {Count})";
}
