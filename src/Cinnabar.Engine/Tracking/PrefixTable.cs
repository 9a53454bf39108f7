using Cinnabar.Engine.Sessions;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.Tracking;

/// <summary>The prefixes that sessions track with BCAST. Changed under a lock of its owner's; commits read
/// the array, which is replaced as a whole.</summary>
internal sealed class PrefixTable
{
    private TrackedPrefix[] _all = [];

    /// <summary>Number of prefixes.</summary>
    public int Count => All.Length;

    /// <summary>The prefixes, in the order of their bytes.</summary>
    public TrackedPrefix[] All => Volatile.Read(ref _all);

    /// <summary>Adds a session's prefixes; it has none.</summary>
    public void Add(Session session, byte[][] prefixes)
    {
        List<TrackedPrefix> all = [.. _all];
        foreach (byte[] prefix in prefixes)
        {
            int place = all.FindIndex(one => ByteArrayComparer.Instance.Equals(one.Prefix, prefix));
            if (place < 0)
                all.Add(new TrackedPrefix(prefix, [session]));
            else
                all[place] = all[place] with { Sessions = [.. all[place].Sessions, session] };
        }

        Publish(all);
    }

    /// <summary>Removes a session's prefixes.</summary>
    public void Remove(Session session)
    {
        if (session.Tracking is not { Prefixes.Length: > 0 })
            return;
        List<TrackedPrefix> all = [];
        foreach (TrackedPrefix one in _all)
        {
            Session[] others = Array.FindAll(one.Sessions, other => other != session);
            if (others.Length > 0)
                all.Add(one with { Sessions = others });
        }

        Publish(all);
    }

    private void Publish(List<TrackedPrefix> all)
    {
        all.Sort(static (one, other) => one.Prefix.AsSpan().SequenceCompareTo(other.Prefix));
        // ORDER: published as a whole: a commit sees complete entries.
        Volatile.Write(ref _all, [.. all]);
    }
}
