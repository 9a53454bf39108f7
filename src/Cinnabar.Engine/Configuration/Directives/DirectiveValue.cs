namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// A parsed value. Text is Redis's canonical form, as CONFIG GET answers it, one char a byte (Latin-1);
/// equal texts are equal values.
/// </summary>
/// <param name="Text">The canonical form.</param>
/// <param name="Number">
/// The same as a number where there is one: 0 or 1 for yes and no, the position for an enumeration, bytes for
/// a memory size (negative: percent).
/// </param>
public readonly record struct DirectiveValue(string Text, long Number = 0);
