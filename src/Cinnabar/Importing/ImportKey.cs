namespace Cinnabar.Importing;

/// <summary>A key of a database.</summary>
/// <param name="Database">The database.</param>
/// <param name="Name">The key.</param>
internal readonly record struct ImportKey(int Database, byte[] Name)
{
    /// <inheritdoc/>
    public bool Equals(ImportKey other) =>
        Database == other.Database && Name.AsSpan().SequenceEqual(other.Name);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.Add(Database);
        hash.AddBytes(Name);
        return hash.ToHashCode();
    }
}
