namespace Cinnabar.Messaging;

/// <summary>
/// One subscriber's interest in one channel or pattern. Messages travel with it, so that one still under way
/// when the subscriber unsubscribes is not shown after the confirmation (where a RESP2 client would take it
/// for a reply).
/// </summary>
public sealed class Subscription
{
    private int _isOver;

    internal Subscription(Topic topic, ISubscriber subscriber)
    {
        Topic = topic;
        Subscriber = subscriber;
    }

    /// <summary>The subscriber.</summary>
    public ISubscriber Subscriber { get; }

    /// <summary>The name of the channel, or the pattern.</summary>
    public byte[] Name => Topic.Name;

    /// <summary>Whether messages that are still under way are to be dropped.</summary>
    public bool IsOver => Volatile.Read(ref _isOver) != 0;

    internal Topic Topic { get; }

    /// <summary>Position among the topic's subscriptions, guarded by the topic's lock.</summary>
    internal int Index { get; set; }

    /// <summary>Ends it, once: nothing of it is shown from now on.</summary>
    public void End()
    {
        Debug.Assert(!IsOver, "a subscription ends once");
        Volatile.Write(ref _isOver, 1);
    }
}
