namespace Cinnabar.Commands.Streams;

/// <summary>The error replies of stream commands, in Redis's words.</summary>
internal static class StreamErrors
{
    internal static ReadOnlySpan<byte> InvalidId =>
        "ERR Invalid stream ID specified as stream command argument"u8;

    internal static ReadOnlySpan<byte> IdTooSmall =>
        "ERR The ID specified in XADD is equal or smaller than the target stream top item"u8;

    internal static ReadOnlySpan<byte> IdIsZero =>
        "ERR The ID specified in XADD must be greater than 0-0"u8;

    internal static ReadOnlySpan<byte> Exhausted =>
        "ERR The stream has exhausted the last possible ID, unable to add more items"u8;

    internal static ReadOnlySpan<byte> TooLarge => "ERR Elements are too large to be stored"u8;

    internal static ReadOnlySpan<byte> InvalidStart => "ERR invalid start ID for the interval"u8;

    internal static ReadOnlySpan<byte> InvalidEnd => "ERR invalid end ID for the interval"u8;

    internal static ReadOnlySpan<byte> KeyRequired =>
        "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the "u8
        + "MKSTREAM option to create an empty stream automatically."u8;

    /// <summary>Replies that there is no such group, naming key and group, and more.</summary>
    internal static void ReplyNoGroup(
        Execution execution, int keyIndex, int groupIndex, ReadOnlySpan<byte> suffix = default)
    {
        execution.Reply.BeginError();
        execution.Reply.ErrorText("NOGROUP No such key '"u8);
        execution.Reply.ErrorText(execution.Argument(keyIndex));
        execution.Reply.ErrorText("' or consumer group '"u8);
        execution.Reply.ErrorText(execution.Argument(groupIndex));
        execution.Reply.ErrorText("'"u8);
        execution.Reply.ErrorText(suffix);
        execution.Reply.EndError();
    }

    /// <summary>Replies that a key has no such group.</summary>
    internal static void ReplyNoGroupForKey(Execution execution, int keyIndex, int groupIndex)
    {
        execution.Reply.BeginError();
        execution.Reply.ErrorText("NOGROUP No such consumer group '"u8);
        execution.Reply.ErrorText(execution.Argument(groupIndex));
        execution.Reply.ErrorText("' for key name '"u8);
        execution.Reply.ErrorText(execution.Argument(keyIndex));
        execution.Reply.ErrorText("'"u8);
        execution.Reply.EndError();
    }

    /// <summary>Replies that a subcommand is unknown or has wrong arguments.</summary>
    internal static void ReplySubcommand(Execution execution, ReadOnlySpan<byte> container)
    {
        const int lengthMax = 128;
        ReadOnlySpan<byte> name = execution.Argument(1);
        execution.Reply.BeginError();
        execution.Reply.ErrorText("ERR unknown subcommand or wrong number of arguments for '"u8);
        execution.Reply.ErrorText(name[..Math.Min(name.Length, lengthMax)]);
        execution.Reply.ErrorText("'. Try "u8);
        execution.Reply.ErrorText(container);
        execution.Reply.ErrorText(" HELP."u8);
        execution.Reply.EndError();
    }
}
