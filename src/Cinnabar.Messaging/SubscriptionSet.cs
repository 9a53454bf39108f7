using System.Collections.Generic;

namespace Cinnabar.Messaging;

/// <summary>The channels and patterns of one subscriber; belongs to its session's loop.</summary>
public sealed class SubscriptionSet
{
    /// <summary>Subscriptions to channels, by name.</summary>
    public Dictionary<byte[], Subscription> Channels { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Subscriptions to patterns, by pattern.</summary>
    public Dictionary<byte[], Subscription> Patterns { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Number of both.</summary>
    public int Count => Channels.Count + Patterns.Count;
}
