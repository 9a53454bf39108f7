using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>A library of functions, for a file.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Code">Its text.</param>
public readonly record struct StoredLibrary(string Name, byte[] Code)
{
    /// <summary>Refuses to write libraries for a Redis that has none.</summary>
    /// <exception cref="RdbInexpressibleException">There are some.</exception>
    internal static void Check(IReadOnlyList<StoredLibrary> libraries, RdbCompatibility level)
    {
        if (level < RdbCompatibility.Redis70 && libraries.Count > 0)
            throw RdbInexpressibleException.OfLibrary(libraries[0].Name, level);
    }
}
