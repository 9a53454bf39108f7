namespace Cinnabar.Engine.PubSub;

/// <summary>The words of confirmations for channels, patterns and shard channels.</summary>
internal readonly ref struct SubscriptionWords
{
    /// <summary>Those of channels.</summary>
    public static SubscriptionWords Channels =>
        new() { Entered = "subscribe"u8, Left = "unsubscribe"u8 };

    /// <summary>Those of patterns.</summary>
    public static SubscriptionWords Patterns =>
        new() { Entered = "psubscribe"u8, Left = "punsubscribe"u8, IsPattern = true };

    /// <summary>Those of shard channels.</summary>
    public static SubscriptionWords ShardChannels =>
        new() { Entered = "ssubscribe"u8, Left = "sunsubscribe"u8, IsSharded = true };

    /// <summary>Whether names are patterns.</summary>
    public bool IsPattern { get; private init; }

    /// <summary>Whether names are shard channels, which are counted apart.</summary>
    public bool IsSharded { get; private init; }

    /// <summary>The confirmation of a subscription.</summary>
    public ReadOnlySpan<byte> Entered { get; private init; }

    /// <summary>The confirmation of its end.</summary>
    public ReadOnlySpan<byte> Left { get; private init; }
}
