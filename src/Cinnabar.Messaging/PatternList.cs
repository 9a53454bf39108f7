// The patterns that PUBLISH looks through, without a lock: an array with room to spare, and a count that is
// published with it. A writer changes the array only behind the count that readers have. A pattern that loses
// its last subscription stays in the array until half of all patterns there have none; then the array is made
// anew. So to add or remove one of a hundred thousand patterns costs as much as one of ten.

namespace Cinnabar.Messaging;

/// <summary>The patterns that have subscribers. Changed under a lock of its owner's, read by
/// anybody.</summary>
internal sealed class PatternList
{
    private const int CapacityMin = 16;

    private readonly Dictionary<byte[], Topic> _byName = new(ByteArrayComparer.Instance);
    private Snapshot _all = new([], 0);
    private int _count;

    /// <summary>Number of patterns.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The patterns, oldest first, and some without subscriptions.</summary>
    public ReadOnlySpan<Topic> All
    {
        get
        {
            Snapshot all = Volatile.Read(ref _all);
            return all.Items.AsSpan(0, all.Count);
        }
    }

    /// <summary>Finds a pattern, or adds it.</summary>
    public Topic FindOrAdd(ReadOnlySpan<byte> name)
    {
        var byName = _byName.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (byName.TryGetValue(name, out Topic? topic))
            return topic;
        topic = new Topic(name.ToArray());
        _byName.Add(topic.Name, topic);
        Volatile.Write(ref _count, _byName.Count);
        (Topic[] items, int count) = (_all.Items, _all.Count);
        if (count == items.Length)
            (items, count) = Copy(topic);
        else
            items[count++] = topic;
        // ORDER: published as a whole, after the item: a reader sees complete topics.
        Volatile.Write(ref _all, new Snapshot(items, count));
        return topic;
    }

    /// <summary>Removes a pattern that has no subscriptions left.</summary>
    public void Remove(Topic topic)
    {
        Debug.Assert(topic.Count == 0, "a pattern goes with its last subscription");
        bool isRemoved = _byName.Remove(topic.Name);
        Debug.Assert(isRemoved, "a pattern is removed once");
        Volatile.Write(ref _count, _byName.Count);
        if (_all.Count < 2 * _byName.Count + CapacityMin)
            return;
        (Topic[] items, int count) = Copy(null);
        // ORDER: as in FindOrAdd.
        Volatile.Write(ref _all, new Snapshot(items, count));
    }

    // Of those that are still there, the last is perhaps not in the array yet.
    private (Topic[] Items, int Count) Copy(Topic? last)
    {
        var items = new Topic[Math.Max(CapacityMin, 2 * _byName.Count)];
        int count = 0;
        foreach (Topic topic in All)
        {
            if (_byName.TryGetValue(topic.Name, out Topic? there) && there == topic)
                items[count++] = topic;
        }

        if (last is not null)
            items[count++] = last;
        return (items, count);
    }

    private sealed record Snapshot(Topic[] Items, int Count);
}
