namespace Cinnabar.Persistence.Journal;

/// <summary>What a record of the ring is.</summary>
internal enum RecordKind : byte
{
    /// <summary>Commands, in the ring.</summary>
    Commands,

    /// <summary>Commands in memory of their own: the ring has its address.</summary>
    LargeCommands,

    /// <summary>Nothing: the claimed room crossed the end of the ring.</summary>
    Padding,

    /// <summary>The place where the journal goes on in another file.</summary>
    Switch,
}
