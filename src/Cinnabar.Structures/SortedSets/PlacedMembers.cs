using Cinnabar.Structures.Hashes;

namespace Cinnabar.Structures.SortedSets;

/// <summary>Members whose bytes lie behind each other, as the fields of an index.</summary>
/// <param name="members">The members.</param>
/// <param name="texts">Their bytes.</param>
internal readonly ref struct PlacedMembers(ReadOnlySpan<PlacedMember> members, ReadOnlySpan<byte> texts)
    : IFieldList
{
    private readonly ReadOnlySpan<PlacedMember> _members = members;
    private readonly ReadOnlySpan<byte> _texts = texts;

    public int Count => _members.Length;

    public HashField this[int number]
    {
        get
        {
            ref readonly PlacedMember member = ref _members[number];
            // The score is a member's first word.
            ReadOnlySpan<byte> score = MemoryMarshal.AsBytes(_members.Slice(number, 1))[..sizeof(double)];
            return new HashField(_texts.Slice(member.Place, member.Length), score);
        }
    }
}
