namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>The bytes ended within a value: a reader of a file fetches more and tries again, and a payload
/// is corrupt.</summary>
/// <param name="offset">Where the bytes ended.</param>
/// <param name="missingBytes">At least as many more are needed.</param>
public sealed class RdbEndException(long offset, long missingBytes)
    : RdbFormatException(offset, "Unexpected end of the data")
{
    /// <summary>At least as many more bytes are needed.</summary>
    public long MissingBytes { get; } = missingBytes;
}
