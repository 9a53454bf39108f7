// The lock of a stripe: one 32-bit word alone on its cache lines, and a queue of waiters beside it.
//
//   bit 0  held       an execution holds the stripe
//   bit 1  waiters    the queue of waiters may not be empty: a release wakes some of them
//   bit 2  reserved   the holder of the server's escalation token waits for this stripe: newcomers stand back
//
// Locks belong to executions, never to threads: the slow lane releases what a loop took. No thread sleeps on
// a word: a loop tries, spins for about a microsecond, and on failure registers a waiter and suspends the
// session. An uncontended pair of enter and exit is two compare-and-swaps (5 ns each way at most);
// System.Threading.Lock costs twice that and is owned by a thread.
//
// A release wakes the first few waiters, in the order of their arrival, and these race again with newcomers:
// fairness comes from the token, not from the queue. To wake all of them each time would be expensive: of
// 5,000 that wait for long commands all but one would fail, after a microsecond each, on loops that have
// other clients to serve. Each waiter that gets the stripe wakes a few more when it releases it, so many
// short commands run after a few turns of their loops.
//
// So a stripe may be free while some wait. Then one that was woken will act: it takes the stripe, and its
// release wakes the next ones; or it finds the stripe held, and the holder's release wakes them; or it waits
// for another stripe first, and wakes the next ones in its place (PassOn).

namespace Cinnabar.Keyspace.Locks;

/// <summary>A stripe's lock, whose copies are the same lock. Not reentrant.</summary>
// A struct, so that taking it is one load less that depends on another.
public readonly unsafe struct StripeLock
{
    private const int Held = 1;
    private const int Waiters = 2;
    private const int Reserved = 4;

    /// <summary>How many waiters a release wakes.</summary>
    public const int WokenCountMax = 8;

    private const long TokenOrder = long.MinValue;

    private readonly int* _word;
    private readonly LockQueue _waiters;

    /// <summary>Uses <paramref name="word"/>, zero and alone on its cache lines, for the lock's
    /// state.</summary>
    internal StripeLock(int* word)
    {
        _word = word;
        _waiters = new LockQueue();
    }

    /// <summary>Whether some execution holds the stripe at this instant.</summary>
    public bool IsHeld => (Volatile.Read(ref *_word) & Held) != 0;

    /// <summary>Whether an execution waits for the stripe, perhaps.</summary>
    public bool HasWaiters => (Volatile.Read(ref *_word) & (Waiters | Reserved)) != 0;

    /// <summary>Takes the stripe if it is not held, reserved or waited for.</summary>
    // SAFETY: the word lives in the key space's native block, which is freed after every loop has ended.
    // ORDER: the compare-and-swap is a full fence: nothing read under the lock can move before it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnter() => Interlocked.CompareExchange(ref *_word, Held, 0) == 0;

    /// <summary>As <see cref="TryEnter"/>, spinning for a bounded time, even if others wait.</summary>
    /// <param name="spinCount">How often to look again, some 10 ns each.</param>
    public bool TryEnterSpinning(int spinCount)
    {
        for (int spin = 0; spin < spinCount; spin++)
        {
            int word = Volatile.Read(ref *_word);
            if ((word & (Held | Reserved)) == 0
                && Interlocked.CompareExchange(ref *_word, word | Held, word) == word)
                return true;
            Thread.SpinWait(1);
        }

        return false;
    }

    /// <summary>Takes the stripe though it is reserved: for the holder of the escalation token
    /// alone.</summary>
    public bool TryEnterAsTokenHolder()
    {
        int word = Volatile.Read(ref *_word);
        return (word & Held) == 0 && Interlocked.CompareExchange(ref *_word, word | Held, word) == word;
    }

    /// <summary>Releases the stripe and wakes the first waiters.</summary>
    // ORDER: a compare-and-swap or And is a full fence: what was written under the lock is visible before it
    // is free.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Exit()
    {
        Debug.Assert(IsHeld, "a stripe is released that is not held");
        if (Interlocked.CompareExchange(ref *_word, 0, Held) != Held)
            ExitContended();
    }

    /// <summary>Makes newcomers stand back; only the holder of the escalation token may call it.</summary>
    public void Reserve() => Interlocked.Or(ref *_word, Reserved);

    /// <summary>Ends <see cref="Reserve"/> and wakes the first waiters.</summary>
    public void Unreserve()
    {
        int old = Interlocked.And(ref *_word, ~Reserved);
        Debug.Assert((old & Reserved) != 0, "a reservation ends that there was not");
        if ((old & (Held | Waiters)) == Waiters)
            WakeSome();
    }

    /// <summary>Wakes the next waiters, where the stripe is free: for a waiter that was woken and waits for
    /// another stripe instead.</summary>
    public void PassOn()
    {
        if ((Volatile.Read(ref *_word) & (Held | Reserved | Waiters)) == Waiters)
            WakeSome();
    }

    /// <summary>Registers a waiter, to be woken by a release after those before it.</summary>
    /// <param name="waiter">Registered nowhere.</param>
    /// <param name="isTokenHolder">Whether it has reserved the stripe.</param>
    /// <param name="order">The lower, the earlier; the token holder comes before all.</param>
    /// <returns>False where the stripe has become free in the meantime: nothing is registered, try
    /// again.</returns>
    public bool TryAddWaiter(ILockWaiter waiter, bool isTokenHolder, long order)
    {
        lock (_waiters)
        {
            // ORDER: the waiter joins the queue under the same monitor that WakeSome takes, and the bit is
            // set while the word is still held or reserved; what ends that therefore sees the bit, and finds
            // the waiter in the queue. The bit is cleared under the monitor only.
            while (true)
            {
                int word = Volatile.Read(ref *_word);
                bool isFree = (word & (isTokenHolder ? Held : Held | Reserved)) == 0;
                if (isFree)
                    return false;
                if (Interlocked.CompareExchange(ref *_word, word | Waiters, word) == word)
                    break;
            }

            _waiters.Add(waiter.LockPlace, isTokenHolder ? TokenOrder : order);
            return true;
        }
    }

    /// <summary>Takes a waiter back.</summary>
    /// <returns>False where it is not registered (any more): it is being woken.</returns>
    public bool TryRemoveWaiter(ILockWaiter waiter)
    {
        lock (_waiters)
            return _waiters.Remove(waiter.LockPlace);
    }

    private void ExitContended()
    {
        int old = Interlocked.And(ref *_word, ~Held);
        if ((old & Waiters) != 0)
            WakeSome();
    }

    // While the stripe is reserved only the token holder can take it; it may wait for another one, and then
    // the others are woken when the reservation ends.
    private void WakeSome()
    {
        lock (_waiters)
        {
            // ORDER: the word is read under the monitor, after the release that brought us here. A
            // reservation that it still shows ends later, and its end finds the bit.
            bool isReserved = (Volatile.Read(ref *_word) & Reserved) != 0;
            for (int count = 0; count < WokenCountMax && _waiters.First is { } place; count++)
            {
                if (isReserved && place.Order != TokenOrder)
                    break;
                _waiters.Remove(place);
                place.Waiter.StripeReleased();
            }

            if (_waiters.First is null)
                Interlocked.And(ref *_word, ~Waiters);
        }
    }
}
