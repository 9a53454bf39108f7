using System;
using System.Text;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Replies;

/// <summary>The reply of a container's HELP.</summary>
internal static class HelpReply
{
    /// <summary>Replies the common first line, these lines, and those of HELP itself.</summary>
    public static void Write(ref ReplyWriter reply, string container, params ReadOnlySpan<string> lines)
    {
        reply.ArrayHeader(lines.Length + 3);
        Line(ref reply, container + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
        foreach (string line in lines)
            Line(ref reply, line);
        Line(ref reply, "HELP");
        Line(ref reply, "    Print this help.");
    }

    private static void Line(ref ReplyWriter reply, string text) =>
        reply.SimpleString(Encoding.ASCII.GetBytes(text));
}
