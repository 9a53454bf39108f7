using Cinnabar.Structures.Hashes;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: its maker keeps the notes where they are as long as the hint is used.
/// <summary>What is known of a member of a sorted set before its place is sought or changed. Nothing of it
/// is taken on trust but the hash.</summary>
/// <param name="member">What is known of the member.</param>
/// <param name="old">Where it may be in the order; null: not known.</param>
/// <param name="new">Where it may have to go; null: not known.</param>
public readonly unsafe struct ScoreHint(MemberHint member, OrderNote* old, OrderNote* @new)
{
    /// <summary>Nothing but what is known of the member.</summary>
    public static implicit operator ScoreHint(MemberHint member) => new(member, null, null);

    internal MemberHint Member { get; } = member;

    internal OrderNote* Old { get; } = old;

    internal OrderNote* New { get; } = @new;
}
