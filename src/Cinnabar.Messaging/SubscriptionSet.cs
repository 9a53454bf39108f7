using System.Collections.Generic;

namespace Cinnabar.Messaging;

/// <summary>The channels and patterns of one subscriber; belongs to its session's loop.</summary>
public sealed class SubscriptionSet
{
    /// <summary>Channels subscribed to.</summary>
    public HashSet<byte[]> Channels { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Patterns subscribed to.</summary>
    public HashSet<byte[]> Patterns { get; } = new(ByteArrayComparer.Instance);

    /// <summary>Number of both.</summary>
    public int Count => Channels.Count + Patterns.Count;
}
