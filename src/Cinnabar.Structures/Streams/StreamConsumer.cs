namespace Cinnabar.Structures.Streams;

/// <summary>A consumer.</summary>
/// <param name="Number">Its number in the stream's pending entries.</param>
/// <param name="SeenMs">When it last tried to read or claim, Unix milliseconds.</param>
/// <param name="ActiveMs">When it last got something; -1: never.</param>
public readonly record struct StreamConsumer(ulong Number, long SeenMs, long ActiveMs);
