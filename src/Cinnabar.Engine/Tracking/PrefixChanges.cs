using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Tracking;

/// <summary>The changes of one commit, by prefix: each key once, in the order of their bytes, as Redis has
/// them.</summary>
internal sealed class PrefixChanges
{
    private readonly SortedDictionary<byte[], Change> _byPrefix = new(ByteOrder.Instance);

    /// <summary>Whether no key with a tracked prefix has changed.</summary>
    public bool IsEmpty => _byPrefix.Count == 0;

    /// <summary>Notes a changed key.</summary>
    public void Add(TrackedPrefix[] prefixes, ReadOnlySpan<byte> key, Session? origin)
    {
        byte[]? name = null;
        foreach (TrackedPrefix prefix in prefixes)
        {
            if (!key.StartsWith(prefix.Prefix))
                continue;
            if (!_byPrefix.TryGetValue(prefix.Prefix, out Change? change))
                _byPrefix[prefix.Prefix] = change = new Change(prefix.Sessions);
            // The last change of a key decides whose it is.
            change.Keys[name ??= key.ToArray()] = origin;
        }
    }

    /// <summary>Sends all, and forgets them.</summary>
    public void Send(ClientTracking tracking)
    {
        foreach (Change change in _byPrefix.Values)
        {
            // All changes of a commit are of one client, or of none.
            List<byte[]> others = [];
            Session? origin = null;
            foreach ((byte[] key, Session? changer) in change.Keys)
            {
                origin ??= changer;
                if (changer is null)
                    others.Add(key);
            }

            if (origin?.Tracking is not { } mode || (mode.Modes & TrackingModes.NoLoop) == 0)
            {
                tracking.Send(change.Sessions, [.. change.Keys.Keys]);
                continue;
            }

            tracking.Send(Array.FindAll(change.Sessions, session => session != origin),
                [.. change.Keys.Keys]);
            if (others.Count > 0 && Array.IndexOf(change.Sessions, origin) >= 0)
                tracking.Send([origin], others);
        }

        _byPrefix.Clear();
    }

    private sealed class Change(Session[] sessions)
    {
        public Session[] Sessions { get; } = sessions;

        public SortedDictionary<byte[], Session?> Keys { get; } = new(ByteOrder.Instance);
    }

    private sealed class ByteOrder : IComparer<byte[]>
    {
        public static ByteOrder Instance { get; } = new();

        public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);
    }
}
