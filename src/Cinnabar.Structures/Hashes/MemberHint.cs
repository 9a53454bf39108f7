using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: its maker keeps the note where it is as long as the hint is used.
/// <summary>What is known of a member before it is sought: nothing, its hash, or where it seemed to be.
/// Nothing of it is taken on trust but the hash.</summary>
/// <param name="hash">The member's hash; 0: not known.</param>
/// <param name="note">Where the member was found, or perhaps another; null: not known.</param>
public readonly unsafe struct MemberHint(ulong hash, MemberNote* note)
{
    private readonly MemberNote* _note = note;
    private readonly ulong _hash = hash;

    /// <summary>A hash; 0: nothing is known.</summary>
    public static implicit operator MemberHint(ulong hash) => new(hash, null);

    /// <summary>The member's hash; 0: not known.</summary>
    internal ulong Hash => _hash;

    /// <summary>The same with the hash of the member, whose hint this is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal MemberHint WithHash(TreeSource source, ReadOnlySpan<byte> member) =>
        _hash != 0 ? this : SipHash.Hash(member, source.Seed);

    /// <summary>The member's page, if its note still leads there, and which record may be its.</summary>
    // One page has all members of a hash, wherever they are in it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal TreePage* PageIn(in PageTree tree, out int index)
    {
        index = -1;
        if (_note == null || _note->Hash != _hash) return null;
        index = _note->Index;
        return _note->Path.Follow(in tree);
    }

    /// <summary>Where the member's record is, if the note is of this member after all, whose hash is not
    /// known, and still leads there.</summary>
    internal bool TryGuessIn(
        in PageTree tree, ReadOnlySpan<byte> member, out TreePath path, out int index)
    {
        Unsafe.SkipInit(out path);
        index = -1;
        if (_note == null || _hash != 0 || !_note->Path.TryFollow(in tree, out path)) return false;
        index = _note->Index;
        return HashSearch.IsAt(path.Page, index, member);
    }

    /// <summary>As <see cref="PageIn"/>, for a caller that will change the page.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryPathIn(in PageTree tree, out TreePath path, out int index)
    {
        Unsafe.SkipInit(out path);
        index = -1;
        if (_note == null || _note->Hash != _hash) return false;
        index = _note->Index;
        return _note->Path.TryFollow(in tree, out path);
    }
}
