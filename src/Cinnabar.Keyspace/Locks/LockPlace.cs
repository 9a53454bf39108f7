namespace Cinnabar.Keyspace.Locks;

/// <summary>A waiter's place in a stripe's queue: a link of it. A waiter has one, and waits for one stripe at
/// a time.</summary>
public sealed class LockPlace(ILockWaiter waiter)
{
    internal ILockWaiter Waiter { get; } = waiter;

    /// <summary>The lower, the earlier.</summary>
    internal long Order { get; set; }

    internal LockQueue? Queue { get; set; }

    /// <summary>The waiter before it.</summary>
    internal LockPlace? Previous { get; set; }

    /// <summary>The waiter behind it.</summary>
    internal LockPlace? Next { get; set; }
}
