namespace Cinnabar.Structures.Streams;

/// <summary>
/// An entry that was delivered and not acknowledged: group, ms, sequence; consumer, time of delivery in Unix
/// milliseconds, deliveries.
/// </summary>
internal readonly struct PendingRecord : IWordRecord
{
    /// <summary>Words of a record.</summary>
    public static int Words => 6;

    public static int KeyWords => 3;
}
