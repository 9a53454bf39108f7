namespace Cinnabar.Persistence.Journal;

/// <summary>What is under way between a file and the next one; see <see cref="AofWriter"/>.</summary>
internal enum AofSwitchState
{
    /// <summary>Nothing: the stream goes to the file.</summary>
    None,

    /// <summary>The switch has been met, and the file cannot take what belongs in front of it.</summary>
    Stuck,

    /// <summary>The file is complete: the next one is to be opened.</summary>
    Due,
}
