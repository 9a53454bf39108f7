namespace Cinnabar.Structures.Streams;

/// <summary>An entry pending with a consumer: consumer, ms, sequence.</summary>
internal readonly struct OwnedRecord : IWordRecord
{
    /// <summary>Words of a record.</summary>
    public static int Words => 3;

    public static int KeyWords => 3;
}
