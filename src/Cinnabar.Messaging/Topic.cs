using Cinnabar.Memory;

namespace Cinnabar.Messaging;

/// <summary>
/// A channel or a pattern with its subscriptions, in an array that grows and shrinks; a subscription that
/// ends leaves its place to the last one, so that a client with a hundred thousand channels vanishes in as
/// many steps. Guarded by the channel's stripe, or by the pattern's own lock.
/// </summary>
internal sealed unsafe class Topic(byte[] name)
{
    private const int CapacityMin = 4;

    private Subscription[] _items = [];

    /// <summary>The channel's name, or the pattern.</summary>
    public byte[] Name { get; } = name;

    /// <summary>Guards a pattern's subscriptions; channels are guarded by their stripe.</summary>
    public Lock Lock { get; } = new();

    /// <summary>Number of subscriptions.</summary>
    public int Count { get; private set; }

    public Subscription Add(ISubscriber subscriber)
    {
        if (Count == _items.Length)
            Array.Resize(ref _items, Math.Max(CapacityMin, 2 * Count));
        var subscription = new Subscription(this, subscriber) { Index = Count };
        _items[Count++] = subscription;
        return subscription;
    }

    public void Remove(Subscription subscription)
    {
        Debug.Assert(subscription.Topic == this && Count > 0 && _items[subscription.Index] == subscription,
            "a subscription is removed once, from its own topic");
        Subscription last = _items[--Count];
        _items[subscription.Index] = last;
        last.Index = subscription.Index;
        _items[Count] = null!;
        if (_items.Length > CapacityMin && Count < _items.Length / 4)
            Array.Resize(ref _items, _items.Length / 2);
    }

    /// <summary>Hands a message to all subscribers.</summary>
    /// <param name="message">The message; each subscriber gets a reference of its own.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="publisher">The publisher.</param>
    /// <param name="reachesPublisher">Set where the publisher is among them.</param>
    /// <returns>How many take it.</returns>
    public int Deliver(SharedBlock* message, int length, ISubscriber? publisher, ref bool reachesPublisher)
    {
        int count = 0;
        foreach (Subscription subscription in _items.AsSpan(0, Count))
        {
            // SAFETY: the caller holds a reference while it publishes, so the block lives.
            message->Retain();
            if (!subscription.Subscriber.TryDeliver(subscription, message, length))
            {
                message->Release();
                continue;
            }

            count++;
            reachesPublisher |= subscription.Subscriber == publisher;
        }

        return count;
    }
}
