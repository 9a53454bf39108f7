namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>What the check of one file has found, or done.</summary>
internal enum AofCheckOutcome
{
    /// <summary>It is valid.</summary>
    Valid,

    /// <summary>It has no bytes.</summary>
    Empty,

    /// <summary>It was cut off where it was no longer valid.</summary>
    Truncated,

    /// <summary>It was cut off at a time.</summary>
    TruncatedToTimestamp,

    /// <summary>It is not valid, or could not be checked: the log says why.</summary>
    Failed,
}
