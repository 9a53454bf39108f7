namespace Cinnabar.Structures.Streams;

/// <summary>A consumer group.</summary>
/// <param name="Number">Its number in the stream's pending entries.</param>
/// <param name="LastId">The last ID that was delivered to it.</param>
/// <param name="EntriesRead">How many entries it has read; <see cref="Unknown"/>: not known.</param>
public readonly record struct StreamGroup(ulong Number, StreamId LastId, long EntriesRead)
{
    /// <summary>The number of entries read where it is not known.</summary>
    public const long Unknown = -1;
}
