namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>What a file of commands has at a place.</summary>
public enum AofItem
{
    /// <summary>A command.</summary>
    Command,

    /// <summary>A line that is no command: a time.</summary>
    Annotation,

    /// <summary>The end of the file.</summary>
    End,

    /// <summary>The file ends within a command.</summary>
    Truncated,

    /// <summary>No command.</summary>
    Malformed,
}
