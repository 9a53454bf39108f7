namespace Cinnabar.Persistence.Journal;

/// <summary>What a file of the append-only file holds.</summary>
public enum AofFileKind
{
    /// <summary>The data at a moment: a snapshot, or commands.</summary>
    Base,

    /// <summary>The commands behind that moment.</summary>
    Increment,

    /// <summary>What a later base has made superfluous.</summary>
    History,
}
