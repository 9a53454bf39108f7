namespace Cinnabar.Persistence.Journal;

/// <summary>A manifest cannot be read.</summary>
/// <param name="message">What is wrong, in Redis's words.</param>
/// <param name="lineNumber">The number of the line, from 1; 0: no line is to blame.</param>
/// <param name="line">The line.</param>
public sealed class AofManifestException(string message, int lineNumber = 0, string line = "")
    : Exception(message)
{
    /// <summary>The number of the line, from 1; 0: no line is to blame.</summary>
    public int LineNumber { get; } = lineNumber;

    /// <summary>The line.</summary>
    public string Line { get; } = line;
}
