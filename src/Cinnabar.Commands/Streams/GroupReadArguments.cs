namespace Cinnabar.Commands.Streams;

/// <summary>Where the keys of an XREADGROUP begin, for its lock plan.</summary>
public static class GroupReadArguments
{
    /// <summary>The argument behind STREAMS; -1: there is none. A group or a consumer of that name is passed
    /// over.</summary>
    /// <param name="arguments">The command.</param>
    /// <param name="first">Where STREAMS may stand first: the group's option needs the places before.</param>
    public static int FindKeys(ArgumentList arguments, int first)
    {
        for (int index = 1; index < arguments.Count; index++)
        {
            ReadOnlySpan<byte> word = arguments[index].Span;
            if (Ascii.EqualsIgnoreCase(word, "group"u8))
                index += 2;
            else if (index >= first && Ascii.EqualsIgnoreCase(word, "streams"u8))
                return index + 1;
        }

        return -1;
    }
}
