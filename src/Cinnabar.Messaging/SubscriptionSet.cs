namespace Cinnabar.Messaging;

/// <summary>The channels, patterns and shard channels of one subscriber; belongs to its session's
/// loop.</summary>
public sealed class SubscriptionSet
{
    /// <summary>Subscriptions to channels, by name.</summary>
    public Dictionary<byte[], Subscription> Channels { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Subscriptions to patterns, by pattern.</summary>
    public Dictionary<byte[], Subscription> Patterns { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Subscriptions to shard channels, by name.</summary>
    public Dictionary<byte[], Subscription> ShardChannels { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Number of channels and patterns; shard channels are counted apart.</summary>
    public int Count => Channels.Count + Patterns.Count;

    /// <summary>Whether there is no subscription of any kind.</summary>
    public bool IsEmpty => Count + ShardChannels.Count == 0;
}
