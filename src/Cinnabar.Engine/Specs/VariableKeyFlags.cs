using Cinnabar.Engine.Generated;

namespace Cinnabar.Engine.Specs;

/// <summary>
/// What a command line does to its key, where that depends on its options: the specs with the flag
/// variable_flags state the most it may do.
/// </summary>
internal static class VariableKeyFlags
{
    /// <summary>The flags of a key of a command line, given those of the key spec it came by.</summary>
    public static KeySpecFlags Of(CommandSpec spec, KeySpecFlags flags, ArgumentList arguments)
    {
        if ((flags & KeySpecFlags.VariableFlags) == 0) return flags;
        return spec.Id switch
        {
            CommandId.Set => ReadsBeforeSet(arguments)
                ? KeySpecFlags.RW | KeySpecFlags.Access | KeySpecFlags.Update
                : KeySpecFlags.OW | KeySpecFlags.Update,
            CommandId.Bitfield => HasOnlyGet(arguments)
                ? KeySpecFlags.RO | KeySpecFlags.Access
                : KeySpecFlags.RW | KeySpecFlags.Access | KeySpecFlags.Update,
            CommandId.Delex => arguments.Count > 2
                ? KeySpecFlags.RW | KeySpecFlags.Delete
                : KeySpecFlags.RM | KeySpecFlags.Delete,
            _ => flags & ~KeySpecFlags.VariableFlags,
        };
    }

    private static bool Is(ArgumentList arguments, int index, ReadOnlySpan<byte> word) =>
        System.Text.Ascii.EqualsIgnoreCase(arguments[index].Span, word);

    // GET returns the old value, the conditions compare it.
    private static bool ReadsBeforeSet(ArgumentList arguments)
    {
        for (int i = 3; i < arguments.Count; i++)
        {
            if (Is(arguments, i, "GET"u8) || Is(arguments, i, "IFEQ"u8) || Is(arguments, i, "IFNE"u8)
                || Is(arguments, i, "IFDEQ"u8) || Is(arguments, i, "IFDNE"u8)) return true;
        }

        return false;
    }

    private static bool HasOnlyGet(ArgumentList arguments)
    {
        int operandCount = 0;
        for (int i = 2; i < arguments.Count; i += operandCount + 1)
        {
            if (Is(arguments, i, "GET"u8)) operandCount = 2;
            else if (Is(arguments, i, "OVERFLOW"u8)) operandCount = 1;
            else return false;
        }

        return true;
    }
}
