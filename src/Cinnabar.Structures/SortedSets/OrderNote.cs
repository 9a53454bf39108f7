using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

/// <summary>Where a score and a member had, or would have had, their place in the order of a
/// <see cref="SortedSetTree"/> when that was loaded ahead.</summary>
public struct OrderNote
{
    /// <summary>The way to the page.</summary>
    internal PathNote Path;

    /// <summary>How many records of the page had a lower score.</summary>
    internal int Index;
}
