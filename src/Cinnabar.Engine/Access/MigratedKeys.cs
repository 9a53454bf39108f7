using Ascii = Cinnabar.Commands.Ascii;

namespace Cinnabar.Engine.Access;

/// <summary>Where the keys of MIGRATE stand.</summary>
internal static class MigratedKeys
{
    private const int OptionIndex = 6;

    /// <summary>The argument that names the first of several keys; behind the last argument: there are no
    /// several.</summary>
    public static int FirstKeyOf(ArgumentList arguments)
    {
        for (int index = OptionIndex; index < arguments.Count; index++)
        {
            ReadOnlySpan<byte> word = arguments[index].Span;
            if (Ascii.EqualsIgnoreCase(word, "keys"u8))
                return index + 1;
            index += Ascii.EqualsIgnoreCase(word, "auth"u8) ? 1
                : Ascii.EqualsIgnoreCase(word, "auth2"u8) ? 2 : 0;
        }

        return arguments.Count;
    }
}
