namespace Cinnabar.Engine.Sessions;

/// <summary>The name of a key, where it lies.</summary>
/// <param name="database">Its database.</param>
/// <param name="name">Its bytes.</param>
internal readonly ref struct WatchedName(int database, ReadOnlySpan<byte> name)
{
    public int Database { get; } = database;

    public ReadOnlySpan<byte> Name { get; } = name;
}
