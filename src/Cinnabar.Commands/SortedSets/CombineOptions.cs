namespace Cinnabar.Commands.SortedSets;

/// <summary>Options of the commands that combine sets.</summary>
[Flags]
internal enum CombineOptions : byte
{
    None = 0,

    /// <summary>WEIGHTS and AGGREGATE.</summary>
    Weights = 1,

    /// <summary>WITHSCORES.</summary>
    WithScores = 2,

    Limit = 4,
}
