namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>A file that is no RDB file, or of a version that is not read.</summary>
/// <param name="message">What is wrong.</param>
public sealed class RdbHeaderException(string message) : RdbFormatException(RdbVersion.HeaderSize, message);
