namespace Cinnabar.Engine.Sessions;

/// <summary>Finds watched keys by a name that is not copied: every change of a stripe with watches looks for
/// its key.</summary>
internal sealed class WatchKeyComparer : IEqualityComparer<WatchKey>,
    IAlternateEqualityComparer<WatchedName, WatchKey>
{
    public bool Equals(WatchKey first, WatchKey second) => first.Equals(second);

    public int GetHashCode(WatchKey key) => key.GetHashCode();

    public bool Equals(WatchedName name, WatchKey key) => key.Is(name.Database, name.Name);

    public int GetHashCode(WatchedName name) => WatchKey.HashOf(name.Database, name.Name);

    public WatchKey Create(WatchedName name) => new(name.Database, name.Name.ToArray());
}
