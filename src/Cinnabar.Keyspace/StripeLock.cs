// The lock of a stripe: one 32-bit word alone on its cache lines, and a list of waiters beside it.
//
//   bit 0  held       an execution holds the stripe
//   bit 1  waiters    the list of waiters may not be empty: whoever releases wakes them all
//   bit 2  reserved   the holder of the server's escalation token waits for this stripe: newcomers stand back
//   bit 3  wanted     somebody spins for the stripe: who keeps it from command to command lets it go
//
// Locks belong to executions, never to threads: the slow lane releases what a loop took. Nobody sleeps on a
// word: a loop tries, spins for about a microsecond, and on failure registers a waiter and suspends the
// session. An uncontended pair of enter and exit is two compare-and-swaps (5 ns each way at most);
// System.Threading.Lock costs twice that and is owned by a thread. All waiters are woken on release and race
// again: fairness comes from the token, not from the list.

using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Cinnabar.Keyspace;

/// <summary>A stripe's lock, whose copies are the same lock. Not reentrant.</summary>
// A struct, so that taking it is one load less that depends on another.
public readonly unsafe struct StripeLock
{
    private const int Held = 1;
    private const int Waiters = 2;
    private const int Reserved = 4;
    private const int Wanted = 8;

    private readonly int* _word;
    private readonly List<ILockWaiter> _waiters;

    /// <summary>Uses <paramref name="word"/>, zero and alone on its cache lines, for the lock's
    /// state.</summary>
    internal StripeLock(int* word)
    {
        _word = word;
        _waiters = [];
    }

    /// <summary>Whether some execution holds the stripe at this instant.</summary>
    public bool IsHeld => (Volatile.Read(ref *_word) & Held) != 0;

    /// <summary>Whether somebody waits for the stripe, perhaps.</summary>
    public bool HasWaiters => (Volatile.Read(ref *_word) & (Waiters | Reserved | Wanted)) != 0;

    /// <summary>Takes the stripe if nobody holds or has reserved it.</summary>
    // SAFETY: the word lives in the key space's native block, which is freed after every loop has ended.
    // ORDER: the compare-and-swap is a full fence: nothing read under the lock can move before it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnter() => Interlocked.CompareExchange(ref *_word, Held, 0) == 0;

    /// <summary>As <see cref="TryEnter"/>, spinning for a bounded moment. Whoever holds the stripe is told
    /// (<see cref="HasWaiters"/>).</summary>
    /// <param name="spinCount">How often to look again, some 10 ns each.</param>
    // ORDER: the bit is set only while the stripe is held, and whoever releases it clears both: a word that
    // is not held never has it.
    public bool TryEnterSpinning(int spinCount)
    {
        for (int spin = 0; spin < spinCount; spin++)
        {
            int word = Volatile.Read(ref *_word);
            if (word == 0 && TryEnter())
                return true;
            if (word == Held)
                Interlocked.CompareExchange(ref *_word, Held | Wanted, Held);
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

    /// <summary>Releases the stripe and wakes whoever waits for it.</summary>
    // ORDER: a compare-and-swap or And is a full fence: what was written under the lock is visible before it
    // is free.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Exit()
    {
        if (Interlocked.CompareExchange(ref *_word, 0, Held) != Held)
            ExitContended();
    }

    /// <summary>Makes newcomers stand back; only the holder of the escalation token may call it.</summary>
    public void Reserve() => Interlocked.Or(ref *_word, Reserved);

    /// <summary>Ends <see cref="Reserve"/> and wakes whoever stood back.</summary>
    public void Unreserve()
    {
        int old = Interlocked.And(ref *_word, ~(Reserved | Waiters));
        if ((old & Waiters) != 0)
            WakeAll();
    }

    /// <summary>
    /// Registers a waiter, to be told of the next release: before all others where it is urgent, else behind
    /// them.
    /// </summary>
    /// <returns>False where the stripe has become free in the meantime: nothing is registered, try
    /// again.</returns>
    public bool TryAddWaiter(ILockWaiter waiter, bool isTokenHolder, bool isUrgent)
    {
        lock (_waiters)
        {
            // ORDER: the waiter joins the list under the same monitor that WakeAll takes, and the bit is set
            // while the word is still held or reserved; the release that clears the bit therefore finds the
            // waiter in the list.
            while (true)
            {
                int word = Volatile.Read(ref *_word);
                bool isFree = isTokenHolder ? (word & Held) == 0 : word == 0;
                if (isFree)
                    return false;
                if (Interlocked.CompareExchange(ref *_word, word | Waiters, word) == word)
                    break;
            }

            _waiters.Insert(isUrgent ? 0 : _waiters.Count, waiter);
            return true;
        }
    }

    /// <summary>Takes a waiter back.</summary>
    /// <returns>False where it is not registered (any more): it is being told.</returns>
    public bool TryRemoveWaiter(ILockWaiter waiter)
    {
        lock (_waiters)
            return _waiters.Remove(waiter);
    }

    private void ExitContended()
    {
        int old = Interlocked.And(ref *_word, ~(Held | Waiters | Wanted));
        if ((old & Waiters) != 0)
            WakeAll();
    }

    private void WakeAll()
    {
        lock (_waiters)
        {
            foreach (ILockWaiter waiter in _waiters)
                waiter.StripeReleased();
            _waiters.Clear();
        }
    }
}
