namespace Cinnabar.Keyspace.Journaling;

/// <summary>Who gets what is recorded.</summary>
[Flags]
public enum JournalAudience : byte
{
    /// <summary>Nobody.</summary>
    None = 0,

    /// <summary>The append-only file.</summary>
    File = 1,

    /// <summary>The replicas.</summary>
    Replicas = 2,

    /// <summary>Both, in one order.</summary>
    All = File | Replicas,
}
