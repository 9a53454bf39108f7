namespace Cinnabar.Messaging;

/// <summary>The channels of one stripe of the registry, and the lock that guards them and orders their
/// messages.</summary>
internal sealed class ChannelStripe
{
    private readonly Dictionary<byte[], Topic> _topics = new(ByteArrayComparer.Instance);
    private int _count;

    public Lock Lock { get; } = new();

    /// <summary>The channels that have subscribers.</summary>
    public Dictionary<byte[], Topic>.ValueCollection Topics => _topics.Values;

    /// <summary>How many channels have subscribers; without the lock.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The channel of a name, or null where it has no subscribers; without an
    /// allocation.</summary>
    public Topic? Find(ReadOnlySpan<byte> name) =>
        _topics.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(name, out Topic? topic) ? topic : null;

    /// <summary>The channel of a name, made if there is none.</summary>
    public Topic FindOrAdd(ReadOnlySpan<byte> name)
    {
        Debug.Assert(Lock.IsHeldByCurrentThread);
        if (Find(name) is { } found)
            return found;
        var topic = new Topic(name.ToArray());
        _topics.Add(topic.Name, topic);
        _count++;
        return topic;
    }

    /// <summary>Forgets a channel that has no subscribers.</summary>
    public void Remove(Topic topic)
    {
        Debug.Assert(Lock.IsHeldByCurrentThread && topic.Count == 0,
            "a channel goes with its last subscription");
        bool isRemoved = _topics.Remove(topic.Name);
        Debug.Assert(isRemoved, "a channel is in the stripe of its name");
        _count--;
    }
}
