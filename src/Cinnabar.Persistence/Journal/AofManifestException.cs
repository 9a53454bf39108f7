namespace Cinnabar.Persistence.Journal;

/// <summary>A manifest cannot be read.</summary>
/// <param name="message">What is wrong, in Redis's words.</param>
/// <param name="lineNumber">The number of the line, from 1; 0: no line is to blame.</param>
/// <param name="line">The line; null: there is no whole one.</param>
public sealed class AofManifestException(string message, int lineNumber = 0, string? line = null)
    : Exception(message)
{
    private readonly string? _line = line;

    /// <summary>The number of the line, from 1; 0: no line is to blame.</summary>
    public int LineNumber { get; } = lineNumber;

    /// <summary>What Redis says of it, in the log and in the output of its tool: one message after another,
    /// each with an empty line behind it.</summary>
    public IEnumerable<string> Report
    {
        get
        {
            yield return "\n*** FATAL AOF MANIFEST FILE ERROR ***\n";
            if (_line is not null)
            {
                yield return $"Reading the manifest file, at line {LineNumber}\n";
                yield return $">>> '{_line}'\n";
            }

            yield return Message + "\n";
        }
    }
}
