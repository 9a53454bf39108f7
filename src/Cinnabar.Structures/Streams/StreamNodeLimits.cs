namespace Cinnabar.Structures.Streams;

/// <summary>When an entry begins a new page (stream-node-max-bytes, stream-node-max-entries).</summary>
/// <param name="BytesMax">Bytes of a listpack; 0: only Redis's limit of 1 GiB.</param>
/// <param name="EntriesMax">Entries in it, deleted ones included; 0: any number.</param>
public readonly record struct StreamNodeLimits(long BytesMax, long EntriesMax)
{
    /// <summary>Bytes of a listpack whatever is configured, and of the texts of one entry.</summary>
    public const long ListpackBytesMax = 1 << 30;

    /// <summary>Redis's defaults.</summary>
    public static StreamNodeLimits Default => new(4096, 100);

    internal long BytesLimit => BytesMax is 0 or > ListpackBytesMax ? ListpackBytesMax : BytesMax;
}
