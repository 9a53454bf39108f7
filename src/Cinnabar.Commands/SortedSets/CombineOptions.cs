using System;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Options of the commands that combine sets.</summary>
[Flags]
internal enum CombineOptions : byte
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>WEIGHTS and AGGREGATE.</summary>
    Weights = 1,

    /// <summary>WITHSCORES.</summary>
    WithScores = 2,

    /// <summary>LIMIT.</summary>
    Limit = 4,
}
