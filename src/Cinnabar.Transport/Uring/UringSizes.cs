namespace Cinnabar.Transport.Uring;

/// <summary>How large a loop's ring is; all counts are powers of two.</summary>
internal sealed class UringSizes
{
    private const int CompletionCountMin = 1024;
    private const int CompletionCountMax = 32 * 1024;

    /// <summary>Entries that are prepared before they must be submitted.</summary>
    public int SubmissionCount { get; init; } = 512;

    /// <summary>Completions that the ring holds before the kernel keeps them elsewhere.</summary>
    public int CompletionCount { get; init; } = CompletionCountMin;

    /// <summary>Provided buffers.</summary>
    public int BufferCount { get; init; } = 512;

    /// <summary>Bytes of a provided buffer.</summary>
    public int BufferSize { get; init; } = 8 * 1024;

    /// <summary>A session that does not read keeps about so many bytes; then its receive is canceled.
    /// </summary>
    public int StashBytesMax { get; init; } = 64 * 1024;

    /// <summary>The sizes for a number of connections.</summary>
    public static UringSizes For(long connectionCountMax) => new()
    {
        CompletionCount = (int)BitOperations.RoundUpToPowerOf2(
            (uint)Math.Clamp(connectionCountMax, CompletionCountMin, CompletionCountMax)),
    };
}
