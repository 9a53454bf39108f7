namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>A collection without elements, as Redis once wrote them by mistake: a reader of a file leaves the
/// key out, and a payload is refused.</summary>
/// <param name="offset">Where in the file, or in the payload.</param>
public sealed class RdbEmptyValueException(long offset) : RdbFormatException(offset, "An empty collection");
