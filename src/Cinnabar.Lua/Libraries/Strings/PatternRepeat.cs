namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>How often a node that matches one byte may match.</summary>
internal enum PatternRepeat : byte
{
    /// <summary>Once.</summary>
    Once,

    /// <summary>Once or not at all: <c>?</c>.</summary>
    Optional,

    /// <summary>As often as possible: <c>*</c>.</summary>
    Any,

    /// <summary>As often as possible, once at least: <c>+</c>.</summary>
    Some,

    /// <summary>As rarely as possible: <c>-</c>.</summary>
    Least,
}
