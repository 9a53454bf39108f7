namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Bytes that are not what the format allows.</summary>
/// <param name="offset">Where in the file, or in the payload.</param>
/// <param name="message">What is wrong.</param>
public class RdbFormatException(long offset, string message) : Exception(message)
{
    /// <summary>Where in the file, or in the payload.</summary>
    public long Offset { get; } = offset;
}
