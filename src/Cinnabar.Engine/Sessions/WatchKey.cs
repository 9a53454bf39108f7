namespace Cinnabar.Engine.Sessions;

/// <summary>A key of a database, as the key of a managed dictionary.</summary>
internal readonly struct WatchKey : IEquatable<WatchKey>
{
    private readonly int _hash;

    /// <summary>Makes a key of bytes that are no longer changed.</summary>
    public WatchKey(int database, byte[] name)
    {
        Database = database;
        Name = name;
        _hash = HashOf(database, name);
    }

    public int Database { get; }

    /// <summary>The key's name.</summary>
    public byte[] Name { get; }

    public bool Equals(WatchKey other) => _hash == other._hash && Database == other.Database
        && Name.AsSpan().SequenceEqual(other.Name);

    public override bool Equals(object? obj) => obj is WatchKey other && Equals(other);

    public override int GetHashCode() => _hash;

    internal bool Is(int database, ReadOnlySpan<byte> name) =>
        Database == database && Name.AsSpan().SequenceEqual(name);

    internal static int HashOf(int database, ReadOnlySpan<byte> name)
    {
        var hash = default(HashCode);
        hash.Add(database);
        hash.AddBytes(name);
        return hash.ToHashCode();
    }
}
