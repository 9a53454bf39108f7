namespace Cinnabar.Messaging;

/// <summary>Which channels and patterns may get keyspace events.</summary>
internal static class EventChannels
{
    private static ReadOnlySpan<byte> KeyspaceHead => "__keyspace@"u8;

    private static ReadOnlySpan<byte> KeyeventHead => "__keyevent@"u8;

    /// <summary>Whether a channel is one of events.</summary>
    public static bool Has(ReadOnlySpan<byte> channel) =>
        channel.StartsWith(KeyspaceHead) || channel.StartsWith(KeyeventHead);

    /// <summary>Whether a pattern may match a channel of events: its bytes before the first special one are
    /// as such a channel begins.</summary>
    public static bool MayMatch(ReadOnlySpan<byte> pattern)
    {
        int length = pattern.IndexOfAny("*?[\\"u8);
        ReadOnlySpan<byte> literal = length < 0 ? pattern : pattern[..length];
        return MayBegin(literal, KeyspaceHead) || MayBegin(literal, KeyeventHead);
    }

    private static bool MayBegin(ReadOnlySpan<byte> literal, ReadOnlySpan<byte> head) =>
        literal.Length <= head.Length ? head.StartsWith(literal) : literal.StartsWith(head);
}
