using Cinnabar.Security.Rules;

namespace Cinnabar.Engine.Specs;

/// <summary>Writes the constant trees of the specs as replies, and names of commands by filters.</summary>
internal static class SpecReply
{
    /// <summary>Writes a tree node by node, in the client's protocol.</summary>
    public static void Write(ref ReplyWriter reply, ReadOnlySpan<byte> text)
    {
        for (var tree = new SpecTree(text); !tree.IsAtEnd;)
        {
            SpecNodeKind kind = tree.Head(out long number);
            switch (kind)
            {
                case SpecNodeKind.Array: reply.ArrayHeader(number); break;
                case SpecNodeKind.Map: reply.MapHeader(number); break;
                case SpecNodeKind.Set: reply.SetHeader(number); break;
                case SpecNodeKind.Bulk: reply.Bulk(tree.Bytes(number)); break;
                case SpecNodeKind.Status: reply.SimpleString(tree.Bytes(number)); break;
                case SpecNodeKind.Integer: reply.Integer(number); break;
            }
        }
    }

    /// <summary>Writes a set of the words for some flags of a key spec: "RW", "access".</summary>
    public static void WriteKeyFlags(ref ReplyWriter reply, KeySpecFlags flags)
    {
        reply.SetHeader(System.Numerics.BitOperations.PopCount((uint)flags));
        for (int bit = 0; bit < 16; bit++)
        {
            var flag = (KeySpecFlags)(1 << bit);
            if ((flags & flag) != 0) reply.SimpleString(KeyFlagWord(flag));
        }
    }

    /// <summary>Writes the names of the commands and subcommands that match a pattern and, where categories
    /// are given, are in one of them.</summary>
    public static void WriteNames(ref ReplyWriter reply, ReadOnlySpan<CommandSpec> commands,
        AclCategories? categories, ReadOnlySpan<byte> pattern)
    {
        DeferredHeader header = reply.BeginDeferred();
        long count = 0;
        foreach (CommandSpec command in commands)
        {
            count += WriteName(ref reply, command, categories, pattern);
            foreach (CommandSpec subcommand in command.Subcommands)
                count += WriteName(ref reply, subcommand, categories, pattern);
        }

        reply.EndDeferredArray(header, count);
    }

    private static int WriteName(
        ref ReplyWriter reply, CommandSpec spec, AclCategories? categories, ReadOnlySpan<byte> pattern)
    {
        if (categories is { } wanted && (spec.Categories & wanted) == 0) return 0;
        if (!GlobPattern.Matches(pattern, spec.NameBytes, ignoreCase: true)) return 0;
        reply.Bulk(spec.NameBytes);
        return 1;
    }

    private static ReadOnlySpan<byte> KeyFlagWord(KeySpecFlags flag) => flag switch
    {
        KeySpecFlags.RO => "RO"u8,
        KeySpecFlags.RW => "RW"u8,
        KeySpecFlags.OW => "OW"u8,
        KeySpecFlags.RM => "RM"u8,
        KeySpecFlags.Access => "access"u8,
        KeySpecFlags.Update => "update"u8,
        KeySpecFlags.Insert => "insert"u8,
        KeySpecFlags.Delete => "delete"u8,
        KeySpecFlags.NotKey => "not_key"u8,
        KeySpecFlags.Incomplete => "incomplete"u8,
        KeySpecFlags.VariableFlags => "variable_flags"u8,
        _ => throw new ArgumentOutOfRangeException(nameof(flag), flag, "a flag without a word"),
    };
}
