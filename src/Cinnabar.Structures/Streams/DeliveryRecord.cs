namespace Cinnabar.Structures.Streams;

/// <summary>A pending entry by age: group, time of delivery, ms, sequence.</summary>
internal readonly struct DeliveryRecord : IWordRecord
{
    /// <summary>Words of a record.</summary>
    public static int Words => 4;

    public static int KeyWords => 4;
}
