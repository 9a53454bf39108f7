namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>How an append-only file is loaded.</summary>
public sealed record AofLoadOptions
{
    /// <summary>Whether a last file that ends within a command is cut off there
    /// (<c>aof-load-truncated</c>).</summary>
    public bool CutsTruncated { get; init; } = true;

    /// <summary>How many bytes without sense at the end of the last file are cut off
    /// (<c>aof-load-corrupt-tail-max-size</c>).</summary>
    public long CorruptTailBytesMax { get; init; }
}
