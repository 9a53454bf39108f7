// The deadlines of a big hash's fields, in their order: a tree of (deadline, field) as a sorted set's order
// has it (SortedSetOrder), with deadlines as scores, which a double holds exactly up to 2^53 ms.
//
// The hash itself (HashPages) has each field's deadline beside its value, which is decisive; this order gives
// the next ones without a walk. So the first deadline, how many have passed, and the removal of those cost
// descents and not the hash's size. A field's name lies here once more; only fields with a deadline pay for
// that.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: pages are reached through a tree that the caller's lock or reference keeps alive.
/// <summary>Fields by their deadlines. A handle as large as a pointer.</summary>
public unsafe struct FieldDeadlines
{
    private PageTree _order;

    private FieldDeadlines(PageTree order) => _order = order;

    /// <summary>An empty order.</summary>
    public static FieldDeadlines Create(TreeSource source) => new(PageTree.Create(source, OrderKey.Size));

    /// <summary>The order with this <see cref="Address"/>.</summary>
    public static FieldDeadlines FromAddress(nint address) => new(PageTree.FromAddress(address));

    /// <summary>The handle as a word, to be stored. Changes with every modification.</summary>
    public readonly nint Address => _order.Address;

    /// <summary>Whether this is no order at all.</summary>
    public readonly bool IsNull => _order.Root == null;

    /// <summary>Fields with a deadline.</summary>
    public readonly long Count => _order.Count;

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    public readonly long MemoryBytes => _order.MemoryBytes;

    /// <summary>Moves some of it out of memory that is to be emptied.</summary>
    /// <returns>Whether all of it was looked at.</returns>
    public bool Move(TreeSource source, int part, ref TreeMoves moves) => moves.Run(source, part, ref _order);

    /// <summary>The earliest deadline, Unix time in milliseconds; there must be one.</summary>
    public readonly long FirstMs
    {
        get
        {
            int index = _order.SeekRank(0, out TreePath path);
            return (long)OrderRecord.Score(path.Page, index);
        }
    }

    /// <summary>The field with the earliest deadline; valid until the order changes.</summary>
    public readonly ReadOnlySpan<byte> FirstField
    {
        get
        {
            int index = _order.SeekRank(0, out TreePath path);
            return OrderRecord.Member(path.Page, index);
        }
    }

    /// <summary>A snapshot: another reference to the order as it is now. Constant time.</summary>
    public readonly FieldDeadlines Retain() => new(_order.Retain());

    /// <summary>Gives this reference up; a big order is then freed in slices.</summary>
    public void Release(TreeSource source) => _order.Release(source);

    /// <summary>How many deadlines are not later than an instant, Unix time in milliseconds.</summary>
    public readonly long CountDue(long nowMs)
    {
        if (_order.Count == 0) return 0;
        var key = new OrderKey(ScoreBits.Of(nowMs + 1.0), default);
        _order.Seek(new OrderSeeker(in key), out TreePath path);
        return PageTree.RankOf(in path) + key.CountBefore(path.Page);
    }

    /// <summary>Adds a field that has no deadline here yet. The span must not lie in this order.</summary>
    public void Add(TreeSource source, long deadlineMs, ReadOnlySpan<byte> field) =>
        SortedSetOrder.Insert(source, ref _order, new ScoredMember(deadlineMs, field));

    /// <summary>Removes a field, which is here with this deadline.</summary>
    public void Remove(TreeSource source, long deadlineMs, ReadOnlySpan<byte> field) =>
        SortedSetOrder.Remove(source, ref _order, deadlineMs, field);

    /// <summary>Removes the field with the earliest deadline.</summary>
    public void RemoveFirst(TreeSource source) =>
        PageShrink<OrderRecord>.RemoveRange(source, ref _order, 0, 1);
}
