namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>One item of a pattern.</summary>
/// <param name="Operation">What it does.</param>
/// <param name="Repeat">How often, for those that match one byte.</param>
/// <param name="First">The byte to match, the opening one of a pair, or the number of a capture.</param>
/// <param name="Second">The closing byte of a pair.</param>
/// <param name="Index">Where its set begins, or its text in <see cref="PatternText"/>.</param>
internal readonly record struct PatternNode(
    PatternOperation Operation, PatternRepeat Repeat, byte First, byte Second, int Index);
