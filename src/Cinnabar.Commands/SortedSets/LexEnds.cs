using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>The ends of a range of members, as the arguments have them. It can be kept: the arguments may
/// move meanwhile.</summary>
/// <param name="MinKind">What the lower end is.</param>
/// <param name="MinIndex">The argument that has it.</param>
/// <param name="MaxKind">What the upper end is.</param>
/// <param name="MaxIndex">The argument that has it.</param>
internal readonly record struct LexEnds(
    LexBoundKind MinKind, int MinIndex, LexBoundKind MaxKind, int MaxIndex)
{
    /// <summary>The bounds, whose members lie in the arguments.</summary>
    public LexBounds BoundsIn(Execution execution) =>
        new(Bound(execution, MinKind, MinIndex), Bound(execution, MaxKind, MaxIndex));

    private static LexBound Bound(Execution execution, LexBoundKind kind, int index) =>
        new(kind, kind is LexBoundKind.Inclusive or LexBoundKind.Exclusive
            ? execution.Argument(index)[1..] : default);
}
