namespace Cinnabar.Engine.Sessions;

/// <summary>One session's watch on one key.</summary>
internal sealed class Watch(WatchList list, WatchKey key, ulong hash, bool wasMissing)
{
    private int _isDead;

    /// <summary>The session's list that it belongs to.</summary>
    public WatchList List { get; } = list;

    /// <summary>What is watched.</summary>
    public WatchKey Key { get; } = key;

    /// <summary>The key's hash.</summary>
    public ulong Hash { get; } = hash;

    /// <summary>Whether there was no such key when the watch began.</summary>
    public bool WasMissing { get; } = wasMissing;

    /// <summary>Whether it has ended; the stripe's housekeeping removes it.</summary>
    public bool IsDead => Volatile.Read(ref _isDead) != 0;

    /// <summary>Ends it, once; from its session's loop.</summary>
    public void End()
    {
        Debug.Assert(!IsDead, "a watch ends once");
        Volatile.Write(ref _isDead, 1);
    }
}
