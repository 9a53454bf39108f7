namespace Cinnabar.Keyspace.Locks;

/// <summary>What waits for a stripe without holding a thread: a suspended execution.</summary>
public interface ILockWaiter
{
    /// <summary>Its place in the queue of the stripe that it waits for.</summary>
    LockPlace LockPlace { get; }

    /// <summary>The stripe was released: try again. Called on any thread, once per registration at
    /// most.</summary>
    void StripeReleased();
}
