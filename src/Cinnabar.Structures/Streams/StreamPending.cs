namespace Cinnabar.Structures.Streams;

/// <summary>An entry that was delivered to a consumer and not acknowledged.</summary>
/// <param name="Id">The entry's.</param>
/// <param name="Consumer">The consumer's number.</param>
/// <param name="DeliveredMs">When it was delivered last, Unix milliseconds.</param>
/// <param name="DeliveryCount">How often it was.</param>
public readonly record struct StreamPending(
    StreamId Id, ulong Consumer, long DeliveredMs, ulong DeliveryCount);
