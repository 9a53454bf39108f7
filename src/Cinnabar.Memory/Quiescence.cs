// Memory that a loop may still read without a lock may be reused once every loop that was inside a turn at
// its retirement has left that turn. (Quiescent-state-based reclamation: T. Hart et al., "Performance of
// memory reclamation for lockless synchronization", 2007; the asymmetric fence is that of liburcu's
// membarrier flavour.)
//
//   loop:     Enter ── reads stale addresses at will ── Exit       its own word: odd inside, even outside
//   retirer:  unpublish ── Retire(action)
//   keeper:             Poll: fence, note loops inside ─ … ─ Poll: all of them moved on: run the action
//
// Retired actions gather in a batch; one batch at a time waits. A batch begins to wait in Poll, which records
// the words; it has waited enough once each word that was odd then has changed (a loop that has left and
// entered again counts as moved on: a word only ever grows).
//
// The fence. Entering is a store (the word) followed by loads (addresses); on every processor the store may
// linger in the store buffer while the loads go ahead, so the keeper could see "outside" while the loop
// already holds an address that was unpublished a moment later. A fence in Enter would cost 5 to 20 ns each
// turn. Instead the keeper makes every thread of the process pass a fence (membarrier,
// FlushProcessWriteBuffers) between the unpublishing and its look at the words. For each loop that fence
// falls either
//   * behind its store of the word: then the store is visible to the keeper, which sees it inside, or
//   * before it: then its loads come behind the fence too, and see that the address was unpublished.
//
// Limits: a loop that stays inside a turn stalls all reclamation, but no other loop. Poll and
// Retire take a lock; actions run outside it, on the thread that polls.

namespace Cinnabar.Memory;

/// <summary>Runs actions once no loop can hold addresses from before they were retired.</summary>
public sealed class Quiescence
{
    // Two cache lines a loop: the processor prefetches lines in pairs.
    private const int WordsPerLoop = 128 / sizeof(ulong);

    private readonly ulong[] _words;
    private readonly ulong[] _noted;
    private readonly Lock _lock = new();
    private List<Action> _gathering = [];
    private List<Action> _waiting = [];
    private volatile bool _hasRetired;

    /// <param name="loopCount">Loops are numbered from 0 to this, exclusive.</param>
    public Quiescence(int loopCount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(loopCount);
        // A spare place in front and behind, so that no word shares a line with a neighbouring object.
        _words = GC.AllocateArray<ulong>((loopCount + 2) * WordsPerLoop, pinned: true);
        _noted = new ulong[loopCount];
    }

    /// <summary>Whether actions are left to <see cref="Poll"/>. From any thread.</summary>
    public bool HasRetired => _hasRetired;

    /// <summary>The loop begins a turn: from now on it may read addresses without a lock.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Enter(int loop)
    {
        ref ulong word = ref Word(loop);
        // ORDER: only this loop writes its word. Store, then the caller's loads: the processor may reorder
        // them, which the process-wide fence in Poll makes good; the compiler may not, since this method is
        // never inlined.
        Volatile.Write(ref word, word + 1);
    }

    /// <summary>The loop ends its turn: it uses such addresses no longer.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Exit(int loop)
    {
        ref ulong word = ref Word(loop);
        // ORDER: a release store: the turn's loads are done before anyone can see the loop outside.
        Volatile.Write(ref word, word + 1);
    }

    /// <summary>Leaves an action to a later <see cref="Poll"/>. The memory it reclaims must be unpublished
    /// already.</summary>
    public void Retire(Action reclaim)
    {
        // ORDER: the lock orders the caller's unpublishing before Poll's fence.
        lock (_lock)
        {
            _gathering.Add(reclaim);
            _hasRetired = true;
        }
    }

    /// <summary>
    /// Runs on this thread the actions that have waited enough: all retired before, if no loop is inside.
    /// </summary>
    public void Poll()
    {
        RunReady();
        if (TryBeginWaiting())
            RunReady();
    }

    private ref ulong Word(int loop) => ref _words[(loop + 1) * WordsPerLoop];

    private bool TryBeginWaiting()
    {
        lock (_lock)
        {
            if (_waiting.Count != 0 || _gathering.Count == 0)
                return false;
            (_waiting, _gathering) = (_gathering, _waiting);
            // ORDER: see the essay. Behind this fence every loop either shows an odd word or sees all earlier
            // unpublishing.
            Interlocked.MemoryBarrierProcessWide();
            for (int loop = 0; loop < _noted.Length; loop++)
                _noted[loop] = Volatile.Read(ref Word(loop));
            return true;
        }
    }

    private void RunReady()
    {
        List<Action> ready;
        lock (_lock)
        {
            if (_waiting.Count == 0)
                return;
            for (int loop = 0; loop < _noted.Length; loop++)
            {
                bool wasInside = (_noted[loop] & 1) != 0;
                // ORDER: an acquire load: the loop's reads in that turn come before the reuse.
                if (wasInside && Volatile.Read(ref Word(loop)) == _noted[loop])
                    return;
            }
            ready = _waiting;
            _waiting = [];
            _hasRetired = _gathering.Count != 0;
        }
        foreach (Action reclaim in ready)
            reclaim();
    }
}
