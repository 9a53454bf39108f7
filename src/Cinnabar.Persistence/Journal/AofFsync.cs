namespace Cinnabar.Persistence.Journal;

/// <summary>When what was written is made to survive a power loss (<c>appendfsync</c>), in the order of the
/// directive's words.</summary>
public enum AofFsync
{
    /// <summary>Once a second.</summary>
    EverySecond,

    /// <summary>Before a reply shows it.</summary>
    Always,

    /// <summary>When the system likes.</summary>
    No,
}
