using System;

namespace Cinnabar.Commands;

/// <summary>The replies of the HELP subcommands.</summary>
internal static class HelpReply
{
    /// <summary>Replies the lines of a text.</summary>
    internal static void Write(Execution execution, ReadOnlySpan<byte> text)
    {
        execution.Reply.ArrayHeader(text.Count((byte)'\n') + 1);
        foreach (Range line in text.Split((byte)'\n'))
            execution.Reply.SimpleString(text[line]);
    }
}
