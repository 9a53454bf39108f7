namespace Cinnabar.Keyspace;

/// <summary>The events that are noted only on request, since they do not come with a declared
/// change.</summary>
[Flags]
public enum ReportedEvents
{
    /// <summary>None of them.</summary>
    None = 0,

    /// <summary><see cref="KeyEvent.KeyMiss"/>.</summary>
    Misses = 1,

    /// <summary><see cref="KeyEvent.New"/>.</summary>
    NewKeys = 2,

    /// <summary><see cref="KeyEvent.Overwritten"/> and <see cref="KeyEvent.TypeChanged"/>.</summary>
    Replacements = 4,
}
