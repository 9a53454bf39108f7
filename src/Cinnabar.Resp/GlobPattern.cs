namespace Cinnabar.Resp;

// Redis's glob patterns, over bytes:
//
//     *      any bytes, also none        [abc]   one of these
//     ?      any one byte                [^abc]  none of these
//     \x     x itself                    [a-z]   one of this range, whichever end is written first
//
// Within brackets a backslash escapes too (an escaped byte keeps its case even where case is ignored), and
// "]" ends the class even as its first byte. A class without an end extends to the end of the pattern; a
// backslash at the end of the pattern is literal.
//
// Every element but the star matches exactly one byte. So when a match fails, it is enough to go back to the
// last star and let it match one byte more; what earlier stars matched never has to change. The time is at
// most the product of both lengths, without recursion, whatever the pattern.
//
// A pattern that has to go on after its 1001st run of stars does not match: Redis gives up there, which
// bounds the time of a hostile pattern.
//
// As in Redis, empty text matches only the empty pattern, not even a star.

/// <summary>Matches text against Redis's patterns.</summary>
public static class GlobPattern
{
    private const int StarRunCountMax = 1000;

    /// <summary>Whether all of the text matches.</summary>
    /// <param name="pattern">the pattern</param>
    /// <param name="text">the text</param>
    /// <param name="ignoreCase">ASCII letters of both cases are equal</param>
    public static bool Matches(ReadOnlySpan<byte> pattern, ReadOnlySpan<byte> text, bool ignoreCase = false)
    {
        int index = 0;
        int position = 0;
        int starIndex = -1;
        int starPosition = 0;
        int starRunCount = 0;
        while (position < text.Length)
        {
            if (index < pattern.Length && pattern[index] == '*')
            {
                while (index < pattern.Length && pattern[index] == '*')
                {
                    index++;
                }

                starIndex = index;
                starPosition = position;
                if (index == pattern.Length)
                {
                    return true;
                }

                if (++starRunCount > StarRunCountMax)
                {
                    return false;
                }

                continue;
            }

            if (index < pattern.Length && MatchesOne(pattern, ref index, text[position], ignoreCase))
            {
                position++;
                continue;
            }

            if (starIndex < 0)
            {
                return false;
            }

            index = starIndex;
            position = ++starPosition;
        }

        return index == pattern.Length
            || (!text.IsEmpty && !pattern[index..].ContainsAnyExcept((byte)'*'));
    }

    /// <summary>Matches one byte; if it matches, moves past the pattern's element.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool MatchesOne(ReadOnlySpan<byte> pattern, ref int index, byte c, bool ignoreCase)
    {
        byte element = pattern[index];
        switch (element)
        {
            case (byte)'?':
                index++;
                return true;

            case (byte)'[':
                return MatchesClass(pattern, ref index, c, ignoreCase);

            case (byte)'\\' when index + 1 < pattern.Length:
                index++;
                element = pattern[index];
                break;
        }

        if (element != c && !(ignoreCase && ToLower(element) == ToLower(c)))
        {
            return false;
        }

        index++;
        return true;
    }

    private static bool MatchesClass(ReadOnlySpan<byte> pattern, ref int index, byte c, bool ignoreCase)
    {
        int at = index + 1;
        bool isNegated = at < pattern.Length && pattern[at] == '^';
        at += isNegated ? 1 : 0;
        bool isFound = false;
        byte lower = ignoreCase ? ToLower(c) : c;
        for (; at < pattern.Length && pattern[at] != ']'; at++)
        {
            byte first = pattern[at];
            byte last = first;
            if (first == '\\' && at + 1 < pattern.Length)
            {
                isFound |= pattern[++at] == c;
                continue;
            }

            if (at + 2 < pattern.Length && pattern[at + 1] == '-')
            {
                at += 2;
                last = pattern[at];
                if (first > last)
                {
                    (first, last) = (last, first);
                }
            }

            isFound |= ignoreCase
                ? lower >= ToLower(first) && lower <= ToLower(last)
                : c >= first && c <= last;
        }

        if (isFound == isNegated)
        {
            return false;
        }

        index = Math.Min(at + 1, pattern.Length);
        return true;
    }

    private static byte ToLower(byte c) => c is >= (byte)'A' and <= (byte)'Z' ? (byte)(c | 0x20) : c;
}
