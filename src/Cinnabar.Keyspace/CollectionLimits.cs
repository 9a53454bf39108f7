using Cinnabar.Structures.Lists;

namespace Cinnabar.Keyspace;

/// <summary>
/// The sizes up to which collections keep their small encodings: Redis's directives. One thread at a time
/// writes them; any thread reads them, each value by itself. The initial values are the directives' defaults.
/// </summary>
public sealed class CollectionLimits
{
    private const int ListListpackSizeDefault = -2;

    /// <summary>Most fields of a hash in a listpack.</summary>
    public long HashListpackEntriesMax { get; set; } = 512;

    /// <summary>Longest field or value, in bytes, of a hash in a listpack.</summary>
    public long HashListpackValueMax { get; set; } = 64;

    /// <summary>Elements in a node of a list, or, negative, one of the classes -1 (4 KiB) to -5
    /// (64 KiB).</summary>
    public long ListListpackSize
    {
        get;
        set
        {
            field = value;
            ListPages = PagesOf(value, ListCompressDepth);
        }
    } = ListListpackSizeDefault;

    /// <summary>What <see cref="ListListpackSize"/> and <see cref="ListCompressDepth"/> mean.</summary>
    public ListPageLimits ListPages { get; private set; } = PagesOf(ListListpackSizeDefault, 0);

    /// <summary>Pages at either end of a big list that are not compressed; 0: none is.</summary>
    public long ListCompressDepth
    {
        get;
        set
        {
            field = value;
            ListPages = PagesOf(ListListpackSize, value);
        }
    }

    /// <summary>Most members of a set in an intset.</summary>
    public long SetIntsetEntriesMax { get; set; } = 512;

    /// <summary>Most members of a set in a listpack.</summary>
    public long SetListpackEntriesMax { get; set; } = 128;

    /// <summary>Longest member, in bytes, of a set in a listpack.</summary>
    public long SetListpackValueMax { get; set; } = 64;

    /// <summary>Most members of a sorted set in a listpack.</summary>
    public long SortedSetListpackEntriesMax { get; set; } = 128;

    /// <summary>Longest member, in bytes, of a sorted set in a listpack.</summary>
    public long SortedSetListpackValueMax { get; set; } = 64;

    /// <summary>Most bytes of a HyperLogLog in its sparse form.</summary>
    public long HyperLogLogSparseBytesMax { get; set; } = 3000;

    /// <summary>Most bytes of a node of a stream; 0: any.</summary>
    public long StreamNodeBytesMax { get; set; } = 4096;

    /// <summary>Most entries of a node of a stream; 0: any.</summary>
    public long StreamNodeEntriesMax { get; set; } = 100;

    /// <summary>Seconds for which a stream remembers the producers' IDs of its entries.</summary>
    public long StreamIdmpDurationSeconds { get; set; } = 100;

    /// <summary>Most IDs of a producer that a stream remembers.</summary>
    public long StreamIdmpCountMax { get; set; } = 100;

    private static ListPageLimits PagesOf(long size, long compressDepth) => new(
        (int)Math.Clamp(size, int.MinValue, int.MaxValue), (int)Math.Min(compressDepth, int.MaxValue));
}
