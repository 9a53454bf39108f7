namespace Cinnabar.Structures.SortedSets;

// SAFETY: its maker keeps the note where it is as long as this is used.
/// <summary>A member of a sorted set with its score.</summary>
internal readonly unsafe ref struct ScoredMember(
    double score, ReadOnlySpan<byte> member, OrderNote* note = null)
{
    /// <summary>Any number but NaN.</summary>
    internal double Score { get; } = score;

    internal ReadOnlySpan<byte> Member { get; } = member;

    /// <summary>Where it may have its place; null: not known.</summary>
    internal OrderNote* Note { get; } = note;
}
