namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>A value of a module's type: nothing here can load it.</summary>
/// <param name="offset">Where in the file, or in the payload.</param>
/// <param name="id">Whose it is.</param>
public sealed class RdbModuleException(long offset, RdbModuleId id) : RdbFormatException(
    offset, $"The RDB file contains module data I can't load: no matching module type '{id.Name}'")
{
    /// <summary>Whose it is.</summary>
    public RdbModuleId Id { get; } = id;
}
