// The waiters for a stripe, in order. Most are added at the end. A waiter that was woken and failed again
// goes back to its place, near the front: a hint, the place of the last such waiter, leads there. So each
// step has a constant cost, however many wait.

namespace Cinnabar.Keyspace.Locks;

/// <summary>A queue of waiters; guarded by its user's lock.</summary>
internal sealed class LockQueue
{
    private LockPlace? _last;
    private LockPlace? _hint;

    /// <summary>The first in order; null: there are no waiters.</summary>
    internal LockPlace? First { get; private set; }

    /// <summary>Puts a waiter behind all that have its order or a lower one.</summary>
    /// <param name="place">In no queue.</param>
    /// <param name="order">The lower, the earlier.</param>
    internal void Add(LockPlace place, long order)
    {
        Debug.Assert(place.Queue is null, "a waiter waits for one stripe at a time");
        LockPlace? before = _last is null || _last.Order <= order ? _last : FindBefore(order);
        if (before != _last)
            _hint = place;
        LockPlace? after = before is null ? First : before.Next;
        place.Order = order;
        place.Queue = this;
        (place.Previous, place.Next) = (before, after);
        if (before is null)
            First = place;
        else
            before.Next = place;
        if (after is null)
            _last = place;
        else
            after.Previous = place;
        Debug.Assert(before is null || before.Order <= order, "the one before comes later");
        Debug.Assert(after is null || after.Order > order, "the one behind comes earlier");
    }

    /// <summary>Takes a waiter out.</summary>
    /// <returns>False where it is not in this queue.</returns>
    internal bool Remove(LockPlace place)
    {
        if (place.Queue != this)
            return false;
        if (_hint == place)
            _hint = place.Previous;
        if (place.Previous is { } before)
            before.Next = place.Next;
        else
            First = place.Next;
        if (place.Next is { } after)
            after.Previous = place.Previous;
        else
            _last = place.Previous;
        (place.Queue, place.Previous, place.Next) = (null, null, null);
        return true;
    }

    // The last one whose order is not above the given one, which the last of all is; null: there is none.
    private LockPlace? FindBefore(long order)
    {
        LockPlace? place = _hint ?? First;
        while (place is not null && place.Order > order)
            place = place.Previous;
        while (place?.Next is { } next && next.Order <= order)
            place = next;
        return place;
    }
}
