namespace Cinnabar.Engine.Specs;

/// <summary>Where the keys and the passwords of a MIGRATE stand, which its key specs cannot say: the first
/// option that is the word KEYS counts, and a password may be that word.</summary>
internal static class MigrateArguments
{
    /// <summary>The first argument that may be an option.</summary>
    public const int OptionIndex = 6;

    /// <summary>The argument that names the first of several keys; behind the last argument: there are no
    /// several.</summary>
    public static int FirstKey(ArgumentList arguments)
    {
        for (int option = OptionIndex; option < arguments.Count; option = Next(arguments, option))
        {
            if (Is(arguments, option, "keys"u8))
                return option + 1;
        }

        return arguments.Count;
    }

    /// <summary>Whether an argument is a password, or the user's name beside one.</summary>
    public static bool IsSecret(ArgumentList arguments, int index)
    {
        int option = OptionIndex;
        while (option < index)
        {
            if (Is(arguments, option, "keys"u8))
                return false;
            option = Next(arguments, option);
        }

        return option > index && index > OptionIndex;
    }

    /// <summary>Whether more than one argument is the word KEYS.</summary>
    public static bool IsAmbiguous(ArgumentList arguments)
    {
        int count = 0;
        for (int index = OptionIndex; index < arguments.Count; index++)
            count += Is(arguments, index, "keys"u8) ? 1 : 0;
        return count > 1;
    }

    // Behind AUTH password, and AUTH2 user password.
    private static int Next(ArgumentList arguments, int option) =>
        option + (Is(arguments, option, "auth"u8) ? 2 : Is(arguments, option, "auth2"u8) ? 3 : 1);

    private static bool Is(ArgumentList arguments, int index, ReadOnlySpan<byte> word) =>
        System.Text.Ascii.EqualsIgnoreCase(arguments[index].Span, word);
}
