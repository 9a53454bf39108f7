namespace Cinnabar.Commands.SortedSets;

/// <summary>Which members are popped, and how they are replied.</summary>
/// <param name="IsMax">The highest, from the top down; else the lowest.</param>
/// <param name="IsNested">Each member with its score in an array of its own.</param>
public readonly record struct PopShape(bool IsMax, bool IsNested);
