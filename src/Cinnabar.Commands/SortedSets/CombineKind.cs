namespace Cinnabar.Commands.SortedSets;

/// <summary>Which members of several sets are wanted.</summary>
internal enum CombineKind : byte
{
    /// <summary>Those that any set has.</summary>
    Union,

    /// <summary>Those that all sets have.</summary>
    Intersection,

    /// <summary>Those of the first set that no other has.</summary>
    Difference,
}
