namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>What stands before a key and belongs to it.</summary>
public struct RdbPrelude
{
    /// <summary>Nothing.</summary>
    public RdbPrelude()
    {
    }

    /// <summary>Unix milliseconds; &#8722;1: none.</summary>
    public long DeadlineMs { get; set; } = -1;

    /// <summary>Seconds since the key was used; &#8722;1: unknown.</summary>
    public long IdleSeconds { get; set; } = -1;

    /// <summary>The LFU counter; &#8722;1: unknown.</summary>
    public int Frequency { get; set; } = -1;

    /// <summary>The class of a module's metadata that must not be lost; null: there are none.</summary>
    public string? MetadataClass { get; set; }

    /// <summary>Whether the next key has something of this.</summary>
    public readonly bool IsPresent =>
        DeadlineMs >= 0 || IdleSeconds >= 0 || Frequency >= 0 || MetadataClass is not null;
}
