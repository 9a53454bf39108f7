using System;

namespace Cinnabar.Engine.Configuration;

/// <summary>
/// Patterns over names of directives and files: * ? [a-z] [^a] and a backslash before anything. Runs in time
/// proportional to pattern times name at worst, without recursion.
/// </summary>
public static class GlobPattern
{
    /// <summary>Whether a text is more than a plain name.</summary>
    public static bool IsPattern(string text) => text.AsSpan().IndexOfAny('*', '?', '[') >= 0;

    /// <summary>Whether the whole name matches the pattern.</summary>
    public static bool Matches(string pattern, string name, bool ignoreCase)
    {
        int p = 0, n = 0, star = -1, mark = 0;
        while (n < name.Length)
        {
            int next = p;
            if (p < pattern.Length && pattern[p] == '*')
            {
                star = p++;
                mark = n;
            }
            else if (p < pattern.Length && MatchesOne(pattern, ref next, name[n], ignoreCase))
            {
                p = next;
                n++;
            }
            else if (star >= 0)
            {
                p = star + 1;
                n = ++mark;
            }
            else
            {
                return false;
            }
        }
        while (p < pattern.Length && pattern[p] == '*')
            p++;
        return p == pattern.Length;
    }

    private static bool MatchesOne(string pattern, ref int index, char letter, bool ignoreCase)
    {
        char wanted = pattern[index++];
        if (wanted == '?')
            return true;
        if (wanted == '[')
            return MatchesSet(pattern, ref index, letter, ignoreCase);
        if (wanted == '\\' && index < pattern.Length)
            wanted = pattern[index++];
        return Fold(wanted, ignoreCase) == Fold(letter, ignoreCase);
    }

    private static bool MatchesSet(string pattern, ref int index, char letter, bool ignoreCase)
    {
        bool isNegated = index < pattern.Length && pattern[index] == '^';
        if (isNegated)
            index++;
        bool isFound = false;
        letter = Fold(letter, ignoreCase);
        while (index < pattern.Length && pattern[index] != ']')
        {
            if (pattern[index] == '\\' && index + 1 < pattern.Length)
                index++;
            char low = Fold(pattern[index++], ignoreCase);
            char high = low;
            if (index + 1 < pattern.Length && pattern[index] == '-' && pattern[index + 1] != ']')
            {
                high = Fold(pattern[index + 1], ignoreCase);
                index += 2;
            }
            if (low > high)
                (low, high) = (high, low);
            isFound |= letter >= low && letter <= high;
        }
        if (index < pattern.Length)
            index++;
        return isFound != isNegated;
    }

    private static char Fold(char letter, bool ignoreCase) =>
        ignoreCase ? char.ToLowerInvariant(letter) : letter;
}
