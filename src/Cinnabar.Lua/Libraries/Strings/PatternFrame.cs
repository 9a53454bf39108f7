namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>A choice of a match that can be taken otherwise; see <see cref="PatternMatcher"/>.</summary>
internal struct PatternFrame
{
    /// <summary>The node that chose.</summary>
    internal int Node;

    /// <summary>The place that a repetition cannot go below, or the number of the capture.</summary>
    internal int Low;

    /// <summary>Where the subject was.</summary>
    internal int Place;
}
