namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>What is wrong with a pattern.</summary>
internal enum PatternMistake : byte
{
    /// <summary>It ends with a percent sign.</summary>
    EndsWithEscape,

    /// <summary>A set is not closed.</summary>
    MissingBracket,

    /// <summary><c>%b</c> has no two bytes behind it.</summary>
    Unbalanced,

    /// <summary><c>%f</c> has no set behind it.</summary>
    FrontierWithoutSet,
}
