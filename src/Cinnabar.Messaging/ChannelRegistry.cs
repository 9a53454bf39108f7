// The subscriptions of all loops. Channels lie in stripes by their names' hashes. A stripe's lock guards its
// channels and is held while a message is appended to the mailboxes of its subscribers' loops, so all
// subscribers see a channel's messages in one order, those that came by a pattern included. Patterns are
// mostly few, and every PUBLISH looks through them (PatternList), each pattern's subscribers under a lock of
// its own.
//
//   lock order: pattern list -> pattern;  stripe -> pattern. No thread that holds a stripe takes the list.
//
// A message without subscribers costs a hash, a lock and the patterns' comparisons. Any other is encoded once
// per channel and matching pattern. PUBLISH allocates nothing managed.
//
// Shard channels are channels of a second registry, with names of their own and no patterns.
//
// Why not a concurrent dictionary with immutable arrays: subscribing would copy, and messages of two
// publishers could arrive in different orders at different subscribers.

using Cinnabar.Memory;
using Cinnabar.Resp;

namespace Cinnabar.Messaging;

/// <summary>The channels, patterns and subscriptions of a server. Thread-safe.</summary>
public sealed unsafe class ChannelRegistry
{
    private const int StripeCount = 64;

    // A topic with its entries of dictionaries and its array, and a subscription with its session's entry.
    private const int TopicBytes = 280;
    private const int SubscriptionBytes = 120;

    private readonly SharedBlockPool _blocks;
    private readonly CountedMemory _records;
    private readonly bool _isSharded;
    private readonly ChannelStripe[] _stripes = new ChannelStripe[StripeCount];
    private readonly Lock _patternsLock = new();
    private readonly PatternList _patterns = new();
    private int _eventListenerCount;

    /// <summary>Makes an empty registry.</summary>
    /// <param name="blocks">Where messages are encoded.</param>
    /// <param name="records">Counts the subscriptions.</param>
    /// <param name="isSharded">Whether these are shard channels.</param>
    public ChannelRegistry(SharedBlockPool blocks, CountedMemory records, bool isSharded)
    {
        (_blocks, _records) = (blocks, records);
        _isSharded = isSharded;
        for (int stripe = 0; stripe < StripeCount; stripe++)
            _stripes[stripe] = new ChannelStripe();
    }

    /// <summary>Whether a channel or pattern that may get keyspace events has a subscriber.</summary>
    public bool HasEventListeners => Volatile.Read(ref _eventListenerCount) != 0;

    /// <summary>Called when <see cref="HasEventListeners"/> may have changed, before the subscription is in
    /// force; from any thread.</summary>
    public Action? EventListenersChanged { get; set; }

    /// <summary>About how many bytes a client's subscription takes, its topic included as if it had no
    /// others.</summary>
    public static long BytesOf(ReadOnlySpan<byte> name) => SubscriptionBytes + TopicBytes + name.Length;

    /// <summary>Number of patterns that have subscribers.</summary>
    public int PatternCount => _patterns.Count;

    /// <summary>Number of channels that have subscribers.</summary>
    public long ChannelCount
    {
        get
        {
            long count = 0;
            foreach (ChannelStripe stripe in _stripes)
                count += stripe.Count;
            return count;
        }
    }

    /// <summary>Adds a subscription to a channel; the subscriber has none to it.</summary>
    public Subscription Subscribe(ISubscriber subscriber, ReadOnlySpan<byte> channel)
    {
        ChannelStripe stripe = StripeOf(channel);
        Subscription subscription;
        lock (stripe.Lock)
        {
            Topic topic = stripe.FindOrAdd(channel);
            subscription = topic.Add(subscriber);
            CountRecord(topic, 1);
        }

        if (EventChannels.Has(channel))
            CountListeners(1);
        return subscription;
    }

    /// <summary>Removes a subscription to a channel. Messages may still be under way.</summary>
    public void Unsubscribe(Subscription subscription)
    {
        Debug.Assert(!subscription.IsOver, "a subscription is removed before it ends");
        Topic topic = subscription.Topic;
        ChannelStripe stripe = StripeOf(topic.Name);
        if (EventChannels.Has(topic.Name))
            CountListeners(-1);
        lock (stripe.Lock)
        {
            topic.Remove(subscription);
            CountRecord(topic, -1);
            if (topic.Count == 0)
                stripe.Remove(topic);
        }
    }

    /// <summary>Adds a subscription to a pattern; the subscriber has none to it.</summary>
    public Subscription SubscribePattern(ISubscriber subscriber, ReadOnlySpan<byte> pattern)
    {
        Subscription subscription;
        lock (_patternsLock)
        {
            Topic topic = _patterns.FindOrAdd(pattern);
            lock (topic.Lock)
            {
                subscription = topic.Add(subscriber);
                CountRecord(topic, 1);
            }
        }

        if (EventChannels.MayMatch(pattern))
            CountListeners(1);
        return subscription;
    }

    /// <summary>Removes a subscription to a pattern. Messages may still be under way.</summary>
    public void UnsubscribePattern(Subscription subscription)
    {
        Debug.Assert(!subscription.IsOver, "a subscription is removed before it ends");
        Topic topic = subscription.Topic;
        if (EventChannels.MayMatch(topic.Name))
            CountListeners(-1);
        lock (_patternsLock)
        {
            lock (topic.Lock)
            {
                topic.Remove(subscription);
                CountRecord(topic, -1);
                if (topic.Count > 0)
                    return;
            }

            _patterns.Remove(topic);
        }
    }

    /// <summary>Ends subscriptions to channels, without a word.</summary>
    public void UnsubscribeAll(Dictionary<byte[], Subscription> channels)
    {
        foreach (Subscription subscription in channels.Values)
        {
            Unsubscribe(subscription);
            subscription.End();
        }

        channels.Clear();
    }

    /// <summary>Ends subscriptions to patterns, without a word.</summary>
    public void UnsubscribeAllPatterns(Dictionary<byte[], Subscription> patterns)
    {
        foreach (Subscription subscription in patterns.Values)
        {
            UnsubscribePattern(subscription);
            subscription.End();
        }

        patterns.Clear();
    }

    /// <summary>Publishes a message.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="payload">The message.</param>
    /// <param name="publisher">The publisher.</param>
    /// <param name="reachesPublisher">Whether the publisher gets it, too.</param>
    /// <returns>How many deliveries were made: one for each subscription that matches.</returns>
    public long Publish(ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, ISubscriber? publisher,
        out bool reachesPublisher)
    {
        reachesPublisher = false;
        long count = 0;
        ChannelStripe stripe = StripeOf(channel);
        lock (stripe.Lock)
        {
            if (stripe.Find(channel) is { } topic)
            {
                // SAFETY: the encoder hands over one reference; it is released when all have theirs.
                SharedBlock* message = _isSharded
                    ? MessageEncoder.EncodeForShard(_blocks, channel, payload, out int length)
                    : MessageEncoder.Encode(_blocks, channel, payload, out length);
                count = topic.Deliver(message, length, publisher, ref reachesPublisher);
                message->Release();
            }

            foreach (Topic pattern in _patterns.All)
            {
                if (GlobPattern.Matches(pattern.Name, channel))
                    count += PublishTo(pattern, channel, payload, publisher, ref reachesPublisher);
            }
        }

        return count;
    }

    /// <summary>Number of subscriptions to a channel, those to patterns not counted.</summary>
    public int CountOf(ReadOnlySpan<byte> channel)
    {
        ChannelStripe stripe = StripeOf(channel);
        lock (stripe.Lock)
            return stripe.Find(channel)?.Count ?? 0;
    }

    /// <summary>Number of subscriptions that a message would reach now, those to patterns too.</summary>
    public long CountReceivers(ReadOnlySpan<byte> channel)
    {
        ChannelStripe stripe = StripeOf(channel);
        lock (stripe.Lock)
        {
            long count = stripe.Find(channel)?.Count ?? 0;
            foreach (Topic pattern in _patterns.All)
                count += GlobPattern.Matches(pattern.Name, channel) ? pattern.Count : 0;
            return count;
        }
    }

    /// <summary>The names of the channels that have subscribers and match a pattern.</summary>
    /// <param name="pattern">The pattern; null: all.</param>
    public List<byte[]> Channels(byte[]? pattern)
    {
        List<byte[]> names = [];
        foreach (ChannelStripe stripe in _stripes)
        {
            // A subscription from before this call is counted; most stripes have no channels at all.
            if (stripe.Count == 0)
                continue;
            lock (stripe.Lock)
            {
                foreach (Topic topic in stripe.Topics)
                {
                    if (pattern is null || GlobPattern.Matches(pattern, topic.Name))
                        names.Add(topic.Name);
                }
            }
        }

        return names;
    }

    private void CountListeners(int count)
    {
        int after = Interlocked.Add(ref _eventListenerCount, count);
        Debug.Assert(after >= 0, "a subscription ends once");
        if (after == 0 || after == count)
            EventListenersChanged?.Invoke();
    }

    // A topic comes with its first subscription, and goes with its last one. Under its lock.
    private void CountRecord(Topic topic, int sign)
    {
        bool isWhole = topic.Count == (sign > 0 ? 1 : 0);
        _records.Add(sign * (isWhole ? BytesOf(topic.Name) : SubscriptionBytes));
    }

    private long PublishTo(Topic pattern, ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload,
        ISubscriber? publisher, ref bool reachesPublisher)
    {
        lock (pattern.Lock)
        {
            if (pattern.Count == 0)
                return 0;
            SharedBlock* message = MessageEncoder.EncodeForPattern(
                _blocks, pattern.Name, channel, payload, out int length);
            int count = pattern.Deliver(message, length, publisher, ref reachesPublisher);
            message->Release();
            return count;
        }
    }

    private ChannelStripe StripeOf(ReadOnlySpan<byte> channel) =>
        _stripes[(uint)ByteArrayComparer.Instance.GetHashCode(channel) % StripeCount];
}
