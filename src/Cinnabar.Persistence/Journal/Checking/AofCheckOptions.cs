using System.IO;

namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>What a check of an append-only file is to do.</summary>
public sealed record AofCheckOptions
{
    /// <summary>Whether what is not valid at the end is cut off, after a question.</summary>
    public bool IsFixing { get; init; }

    /// <summary>Unix seconds; what is later is cut off. 0: nothing.</summary>
    public long TimestampSeconds { get; init; }

    /// <summary>Where the lines go.</summary>
    public required TextWriter Output { get; init; }

    /// <summary>Reads the answer to a question.</summary>
    public required Func<string?> ReadAnswer { get; init; }

    /// <summary>Checks the snapshot that a file begins with; writes what it finds.</summary>
    /// <returns>The offset behind it; null: it is damaged.</returns>
    public required Func<StoredFile, string, long?> CheckSnapshot { get; init; }

    /// <summary>Shows how far the commands of a file are checked; gets its length. Null: nothing
    /// does.</summary>
    public Func<long, ICheckProgress>? Progress { get; init; }
}
