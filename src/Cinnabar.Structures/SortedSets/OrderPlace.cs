namespace Cinnabar.Structures.SortedSets;

// SAFETY: its maker keeps the member's bytes and the note where they are as long as it is used.
/// <summary>A place in the order of a <see cref="SortedSetTree"/>, to be noted in native memory.</summary>
public readonly unsafe struct OrderPlace
{
    private readonly byte* _member;
    private readonly int _length;

    /// <param name="score">A score.</param>
    /// <param name="member">A member.</param>
    /// <param name="length">Its bytes.</param>
    /// <param name="note">Receives its place.</param>
    public OrderPlace(double score, byte* member, int length, OrderNote* note)
    {
        Note = note;
        _member = member;
        _length = length;
        Score = ScoreBits.Of(score);
        First = OrderKey.Word(Member, 0);
        Second = OrderKey.Word(Member, sizeof(ulong));
        Third = OrderKey.Word(Member, 2 * sizeof(ulong));
    }

    internal OrderNote* Note { get; }

    internal ulong Score { get; }

    internal ulong First { get; }

    internal ulong Second { get; }

    internal ulong Third { get; }

    internal ReadOnlySpan<byte> Member => new(_member, _length);
}
