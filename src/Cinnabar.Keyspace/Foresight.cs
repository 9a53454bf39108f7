// What a lookahead has found for commands that have not run yet: one note each, whose number is in the flags
// of the command's argument (bits 8 and up, which are the engine's). The command reads its note when it runs.
// Notes are not cleared after use or when other commands run first: a note can be checked for validity
// (PathNote).
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace;

// SAFETY: the arrays are pinned and live as long as this does; numbers are 1 to CountMax in
// whatever Foresight they were given.
/// <summary>The notes of an execution's lookaheads.</summary>
public sealed unsafe class Foresight
{
    /// <summary>The most commands that are looked at together.</summary>
    internal const int CountMax = 32;

    private const int NumberShift = 8;

    private readonly MemberNote[] _members = GC.AllocateArray<MemberNote>(CountMax, pinned: true);
    private readonly OrderNote[] _places =
        GC.AllocateArray<OrderNote>(SortedSetTree.AheadCountMax, pinned: true);

    private readonly MemberNote* _firstMember;
    private readonly OrderNote* _firstPlace;

    internal Foresight()
    {
        _firstMember = (MemberNote*)Unsafe.AsPointer(ref _members[0]);
        _firstPlace = (OrderNote*)Unsafe.AsPointer(ref _places[0]);
    }

    /// <summary>What is known of the member that an argument names.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MemberHint HintOf(in Argument member)
    {
        uint number = member.Flags >> NumberShift;
        return new MemberHint(member.Hash, number == 0 ? null : _firstMember + number - 1);
    }

    /// <summary>The same of a member of a sorted set, whose place in the order is wanted, too.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ScoreHint ScoreHintOf(in Argument member)
    {
        uint number = member.Flags >> NumberShift;
        return number == 0 ? HintOf(in member)
            : new ScoreHint(HintOf(in member), OldPlace((int)number), NewPlace((int)number));
    }

    /// <summary>What is known of the member that the command with this argument takes from its
    /// collection.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MemberHint HintOfTaken(in Argument argument)
    {
        uint number = argument.Flags >> NumberShift;
        return new MemberHint(0, number == 0 ? null : _firstMember + number - 1);
    }

    /// <summary>The notes, by number - 1.</summary>
    internal Span<MemberNote> Members => _members;

    /// <summary>Where the member with a number is in its order.</summary>
    internal OrderNote* OldPlace(int number) => _firstPlace + number - 1;

    /// <summary>Where it may have to go.</summary>
    internal OrderNote* NewPlace(int number) => _firstPlace + CountMax + number - 1;

    /// <summary>Makes an argument carry a note's number, 1 to <see cref="CountMax"/>.</summary>
    internal static void SetNumber(ref Argument member, int number) =>
        member.Flags = member.Flags & ((1u << NumberShift) - 1) | (uint)number << NumberShift;
}
