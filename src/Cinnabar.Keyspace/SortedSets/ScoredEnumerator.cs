using System.Diagnostics.CodeAnalysis;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// Goes through the members of a <see cref="ScoredSource"/>, those of a tree in the order of their hashes, in
/// which lookups in other trees are fast. Valid until the next change to the stripe.
/// </summary>
public ref struct ScoredEnumerator
{
    private readonly Form _form;
    private SortedSetWalk _pack;
    private HashFieldEnumerator _tree;
    private SetEnumerator _set;
    private Scratch _scratch;

    internal ScoredEnumerator(in ScoredSource source, KeyspaceAccess access)
    {
        // The state for the other forms is left uninitialized: a tree's path is large.
        Unsafe.SkipInit(out this);
        if (source.IsSet)
        {
            _form = Form.Set;
            _set = source.Members(access).GetEnumerator();
            return;
        }

        SortedSetView view = source.View(access);
        _form = view.IsTree ? Form.Tree : Form.Pack;
        if (view.IsTree)
            _tree = view.Index.GetEnumerator();
        else
            _pack = view.Walk();
    }

    private enum Form : byte
    {
        Pack,
        Tree,
        Set,
    }

    /// <summary>The member.</summary>
    [UnscopedRef]
    public ReadOnlySpan<byte> Member => _form switch
    {
        Form.Tree => _tree.Current.Member,
        Form.Set => _set.Current.AsText(_scratch),
        _ => _pack.Member,
    };

    /// <summary>Its score, without the source's weight.</summary>
    public readonly double Score => _form switch
    {
        Form.Tree => SortedSetTree.ScoreOf(_tree.Current),
        Form.Set => 1,
        _ => _pack.Score,
    };

    /// <summary>Goes to the next member; false: there is none.</summary>
    public bool MoveNext() => _form switch
    {
        Form.Tree => _tree.MoveNext(),
        Form.Set => _set.MoveNext(),
        _ => _pack.MoveNext(),
    };

    [InlineArray(SetMember.ScratchSize)]
    private struct Scratch
    {
        private byte _first;
    }
}
