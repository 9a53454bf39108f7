using System;

namespace Cinnabar.Engine.Configuration;

/// <summary>
/// Patterns over directive names: * ? [a-z] [^a] and a backslash before anything. Case does not matter. Runs
/// in time proportional to pattern times name at worst, without recursion.
/// </summary>
internal static class DirectivePattern
{
    internal static bool IsPattern(string text) => text.AsSpan().IndexOfAny('*', '?', '[') >= 0;

    internal static bool Matches(string pattern, string name)
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
            else if (p < pattern.Length && MatchesOne(pattern, ref next, name[n]))
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

    private static bool MatchesOne(string pattern, ref int index, char letter)
    {
        char wanted = pattern[index++];
        if (wanted == '?')
            return true;
        if (wanted == '[')
            return MatchesSet(pattern, ref index, letter);
        if (wanted == '\\' && index < pattern.Length)
            wanted = pattern[index++];
        return Lower(wanted) == Lower(letter);
    }

    private static bool MatchesSet(string pattern, ref int index, char letter)
    {
        bool isNegated = index < pattern.Length && pattern[index] == '^';
        if (isNegated)
            index++;
        bool isFound = false;
        while (index < pattern.Length && pattern[index] != ']')
        {
            if (pattern[index] == '\\' && index + 1 < pattern.Length)
                index++;
            char low = Lower(pattern[index++]);
            char high = low;
            if (index + 1 < pattern.Length && pattern[index] == '-' && pattern[index + 1] != ']')
            {
                high = Lower(pattern[index + 1]);
                index += 2;
            }
            if (low > high)
                (low, high) = (high, low);
            isFound |= Lower(letter) >= low && Lower(letter) <= high;
        }
        if (index < pattern.Length)
            index++;
        return isFound != isNegated;
    }

    private static char Lower(char letter) => char.ToLowerInvariant(letter);
}
