namespace Cinnabar.Commands.SortedSets;

/// <summary>What the ends of a range are.</summary>
internal enum RangeKind : byte
{
    /// <summary>Not said yet: ranks, unless an option says otherwise.</summary>
    Unsaid,

    Rank,

    Score,

    /// <summary>Members, where all scores are equal.</summary>
    Lex,
}
