namespace Cinnabar.Commands.Sorting;

/// <summary>Which keys a SORT touches, as far as its arguments name them, for its lock plan.</summary>
public static class SortArguments
{
    private const int FirstOption = 2;

    /// <summary>
    /// Whether a SORT reads keys that only its elements name, so that it needs all stripes.
    /// </summary>
    public static bool ReadsOtherKeys(ArgumentList arguments)
    {
        for (int index = FirstOption; index + 1 < arguments.Count; index++)
        {
            ReadOnlySpan<byte> word = arguments[index].Span;
            if (Ascii.EqualsIgnoreCase(word, "by"u8) || Ascii.EqualsIgnoreCase(word, "get"u8))
            {
                if (arguments[++index].Span.Contains((byte)'*'))
                    return true;
            }
            else if (Ascii.EqualsIgnoreCase(word, "store"u8))
            {
                index++;
            }
            else if (Ascii.EqualsIgnoreCase(word, "limit"u8))
            {
                index += 2;
            }
        }

        return false;
    }

    /// <summary>The argument that names the destination of a SORT: of several STORE the last; 0:
    /// none.</summary>
    public static int FindStore(ArgumentList arguments)
    {
        int found = 0;
        for (int index = FirstOption; index + 1 < arguments.Count; index++)
        {
            ReadOnlySpan<byte> word = arguments[index].Span;
            if (Ascii.EqualsIgnoreCase(word, "store"u8))
                found = ++index;
            else if (Ascii.EqualsIgnoreCase(word, "by"u8) || Ascii.EqualsIgnoreCase(word, "get"u8))
                index++;
            else if (Ascii.EqualsIgnoreCase(word, "limit"u8))
                index += 2;
        }

        return found;
    }
}
