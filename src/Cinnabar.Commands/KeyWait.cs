namespace Cinnabar.Commands;

/// <summary>What a command that found nothing waits for.</summary>
/// <param name="Type">The type of the keys that would let it go on.</param>
/// <param name="FirstKey">The argument that names the first key.</param>
/// <param name="KeyCount">Number of keys, in arguments that follow each other.</param>
/// <param name="TimeoutMs">How long it waits at most, in milliseconds from now; 0: for ever.</param>
public readonly record struct KeyWait(KeyType Type, int FirstKey, int KeyCount, long TimeoutMs)
{
    /// <summary>
    /// Whether it goes on, too, when one of its keys is deleted or becomes another type: what it would read
    /// (a consumer group) has gone with it, and it will reply an error.
    /// </summary>
    public bool EndsWithKey { get; init; }

    /// <summary>
    /// When it tries again though no key has changed, Unix time in milliseconds: what it asks for comes with
    /// time. 0: never.
    /// </summary>
    public long RetryMs { get; init; }
}
