namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>What the naive model remembers of a key.</summary>
/// <param name="Value">The bytes.</param>
/// <param name="DeadlineMs">Unix milliseconds; −1: none.</param>
internal sealed record KeyModel(byte[] Value, long DeadlineMs)
{
    /// <summary>Whether the key is expired at an instant.</summary>
    public bool IsDead(long nowMs) => DeadlineMs >= 0 && DeadlineMs <= nowMs;
}
