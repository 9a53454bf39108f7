using System;

namespace Cinnabar.Structures.Trees;

/// <summary>A member of a sorted set with its score.</summary>
internal readonly ref struct ScoredMember(double score, ReadOnlySpan<byte> member)
{
    /// <summary>Any number but NaN.</summary>
    internal double Score { get; } = score;

    /// <summary>The member.</summary>
    internal ReadOnlySpan<byte> Member { get; } = member;
}
