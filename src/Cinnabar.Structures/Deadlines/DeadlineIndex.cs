// The deadlines of one stripe's keys, in the order in which they fall due: a hierarchical timing wheel.
//
// Purpose. A key must vanish within 2 ms of its deadline, so the next deadline must be known without looking
// at all keys. A record says (deadline, database, hash of the key); it has no pointer to the entry, so
// entries may move, and nothing has to be taken out when a key dies: a record whose key is gone or has
// another deadline is *stale*, and the code that takes it out looks the key up and drops the record.
//
// Layout. The wheel's time is a 63-bit number of milliseconds, read as eight digits of eight bits. A level
// has 256 slots, one per digit; a slot holds a chain of chunks of 16-byte records (DeadlineChunk draws them).
//
//   level 7 ... level 2        level 1            level 0
//   +-+-+- -+-+ +-+-+- -+-+    +-+-+- -+-+        +-+-+- -+-+     each level: 256 slots, and a 256-bit
//   | | |   | | | |x|   | |    | |x|   |x|        | |x|   |x|     bitmap of the slots in use; allocated
//   +-+-+- -+-+ +-+-+- -+-+    +-+-+- -+-+        +-+-+- -+-+     when first needed
//    2.3M years     65 s          256 ms             1 ms         width of a slot: 256^level ms
//
//   loose:       records in no slot: added when already due, or left over from a slot that is being opened
//   compacting:  records of the slot that the compaction is looking through
//
// A record stands at the level of the highest digit in which its deadline differs from the wheel's time, in
// the slot of its own digit there. Invariants:
//   1. A record in a slot is later than the wheel's time and shares with it all digits above its level. So
//      all of level n is earlier than all of level n + 1, and the first slot in use of the lowest level in
//      use is the next.
//   2. The wheel's time moves forward only to the start of the next slot, which is thereby opened (its chain
//      becomes the loose one), or, when no slot starts earlier, to the caller's time.
//   3. Each chain knows a lower bound of its deadlines, exact in a slot. So NextDeadlineMs is exact, save
//      while a chain is half taken apart; then it may be too early, never too late.
//
// Opening a slot takes its records one by one: what is due goes to the caller, the rest to a lower level.
// This is done in bounded portions over as many calls as needed, because a slot may hold millions. A leap of
// the clock over years costs what the slots in use cost, not the time that passed. If the clock goes back,
// all levels below the highest digit that changes are spliced into the one slot that now covers them: nothing
// fires early, nothing is lost.
//
// Why not a heap or a tree: 16 bytes a record against 24 and more, O(1) against O(log n), and no cache miss
// per level. Why not Redis' sampling of keys with a deadline: it leaves up to a tenth of the dead in memory
// and is late.
//
// Stale records cost memory until they fall due, which may be never. Callers report them (NoteStale), and
// when more are stale than live the index is compacted, in slices.
//
// Limits: not thread-safe, the stripe's lock guards it. Records due are handed out in no order. Source of the
// idea: Varghese and Lauck, Hashed and Hierarchical Timing Wheels (1987); levels by the highest differing
// digit as in the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan (1990).
using Cinnabar.Memory;

namespace Cinnabar.Structures.Deadlines;

/// <summary>Finds the keys whose deadline has come. Guarded by its stripe's lock.</summary>
/// <param name="arena">The stripe's arena, guarded by the same lock.</param>
/// <param name="nowMs">Unix time in milliseconds, now; only a hint where the wheel starts.</param>
public sealed unsafe class DeadlineIndex(Arena arena, long nowMs) : IDisposable
{
    private const int LevelCount = 8;
    private const int DigitBits = 8;
    private const int SlotCount = 1 << DigitBits;
    private const int WordsPerLevel = SlotCount / 64;
    private const int MovesPerCallMax = 512;
    private const long StaleCountAlwaysAllowed = 1024;

    private readonly Arena _arena = arena;
    private readonly DeadlineChain*[] _levels = new DeadlineChain*[LevelCount];
    private readonly ulong[] _slotsInUse = new ulong[LevelCount * WordsPerLevel];
    private uint _levelsInUse;
    private long _timeMs = Math.Max(nowMs, 0);
    private DeadlineChain _loose = DeadlineChain.Empty;
    private DeadlineChain _compacting = DeadlineChain.Empty;
    private int _compactionPosition;
    private bool _isCompacting;
    private long _staleCountSinceCompaction;
    private bool _isDisposed;

    /// <summary>How many records there are, the stale ones included.</summary>
    public long Count { get; private set; }

    /// <summary>
    /// How many records the caller has reported as stale and are, as far as known, still here.
    /// </summary>
    public long StaleCount { get; private set; }

    /// <summary>The bytes asked of the arena for slots and records.</summary>
    public long MemoryBytes { get; private set; }

    /// <summary>
    /// Whether <see cref="CompactSlice"/> is worth calling: too much is stale, or a pass is not done.
    /// </summary>
    public bool IsCompactionDue => _isCompacting || StaleCount > Count - StaleCount + StaleCountAlwaysAllowed;

    /// <summary>
    /// The earliest deadline, Unix time in milliseconds; <see cref="long.MaxValue"/> when there is none.
    /// While a call to <see cref="TakeDue"/> has left work behind, it may be earlier than the earliest
    /// deadline.
    /// </summary>
    public long NextDeadlineMs
    {
        get
        {
            long nextMs = Math.Min(_loose.MinMs, _compacting.MinMs);
            if (_levelsInUse == 0) return nextMs;
            int level = BitOperations.TrailingZeroCount(_levelsInUse);
            return Math.Min(nextMs, _levels[level][FirstSlot(level, 0)].MinMs);
        }
    }

    /// <summary>Remembers a deadline. O(1).</summary>
    /// <param name="deadlineMs">Unix time in milliseconds; a negative one counts as 0.</param>
    /// <param name="database">What the caller wants to hear again with the record; 0 or higher.</param>
    /// <param name="hash">The hash of the key.</param>
    public void Add(long deadlineMs, int database, ulong hash)
    {
        Debug.Assert(database >= 0, "a database number is never negative");
        Insert(new DeadlineRecord(Math.Max(deadlineMs, 0), database, hash));
        Count++;
    }

    /// <summary>
    /// Takes out records that are due, as many as fit and a bounded amount of work finds. Call again as long
    /// as <see cref="NextDeadlineMs"/> is not later than <paramref name="nowMs"/>, even when the answer was
    /// 0.
    /// </summary>
    /// <returns>The number of records written to <paramref name="into"/>, in no particular order.</returns>
    public int TakeDue(long nowMs, Span<DeadlineRecord> into)
    {
        Debug.Assert(!_isDisposed, "the index is gone");
        nowMs = Math.Max(nowMs, 0);
        if (nowMs < _timeMs) Rewind(nowMs);
        if (_compacting.MinMs <= nowMs) _loose.Splice(ref _compacting);
        int taken = 0;
        int moves = 0;
        while (taken < into.Length && moves < MovesPerCallMax)
        {
            if (_loose.IsEmpty && !OpenNextSlot(nowMs)) break;
            MemoryBytes -= _loose.Pop(_arena, out DeadlineRecord record);
            if (record.DeadlineMs <= nowMs)
            {
                into[taken++] = record;
            }
            else
            {
                Insert(record);
                moves++;
            }
        }
        Count -= taken;
        Debug.Assert(Count >= 0, "more records were taken than there were");
        return taken;
    }

    /// <summary>
    /// Copies the earliest records, stale ones included, and leaves them where they are. Exact as long as the
    /// slots that hold them have no more than <paramref name="budget"/> records; of fuller ones only a part
    /// is looked at.
    /// </summary>
    /// <returns>How many were found, the earliest first.</returns>
    public int CopyEarliest(Span<DeadlineRecord> into, int budget)
    {
        Debug.Assert(!_isDisposed && into.Length > 0 && budget > 0, "nothing is asked for");
        int count = 0;
        _loose.CopyEarliest(into, ref count, ref budget);
        _compacting.CopyEarliest(into, ref count, ref budget);
        for (int level = 0; level < LevelCount; level++)
        {
            if ((_levelsInUse >> level & 1) == 0) continue;
            for (int slot = FirstSlot(level, 0); slot >= 0; slot = FirstSlot(level, slot + 1))
            {
                // A slot's records are later than those of all slots before it.
                if (count == into.Length || budget <= 0) return count;
                _levels[level][slot].CopyEarliest(into, ref count, ref budget);
            }
        }
        return count;
    }

    /// <summary>Notes that records have become stale: their keys died or have other deadlines now.</summary>
    public void NoteStale(long count = 1)
    {
        Debug.Assert(count >= 0, "a negative number of records has become stale");
        StaleCount += count;
        _staleCountSinceCompaction += count;
    }

    /// <summary>Notes that a record handed out by <see cref="TakeDue"/> was stale.</summary>
    public void NoteStaleTaken() => StaleCount = Math.Max(StaleCount - 1, 0);

    /// <summary>
    /// Looks at up to <paramref name="budget"/> records and drops those that the validator says are dead. A
    /// pass over the whole index may take many calls; other calls are allowed in between.
    /// </summary>
    /// <returns>Whether the pass is finished.</returns>
    public bool CompactSlice<TValidator>(int budget, ref TValidator validator)
        where TValidator : struct, IDeadlineValidator
    {
        Debug.Assert(budget > 0, "nothing is to be looked at");
        if (!_isCompacting)
        {
            _isCompacting = true;
            _compactionPosition = 0;
            _staleCountSinceCompaction = 0;
        }
        for (; budget > 0; budget--)
        {
            if (_compacting.IsEmpty && !DetachNextForCompaction())
            {
                _isCompacting = false;
                StaleCount = Math.Min(StaleCount, _staleCountSinceCompaction);
                return true;
            }
            MemoryBytes -= _compacting.Pop(_arena, out DeadlineRecord record);
            if (validator.IsLive(record))
            {
                Insert(record);
            }
            else
            {
                Count--;
                StaleCount = Math.Max(StaleCount - 1, 0);
            }
        }
        return false;
    }

    /// <summary>Gives all memory back to the arena. Harmless when repeated.</summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        MemoryBytes -= _loose.Free(_arena) + _compacting.Free(_arena);
        for (int level = 0; level < LevelCount; level++)
        {
            if (_levels[level] == null) continue;
            for (int slot = FirstSlot(level, 0); slot >= 0; slot = FirstSlot(level, slot + 1))
            {
                MemoryBytes -= _levels[level][slot].Free(_arena);
            }
            _arena.Free((byte*)_levels[level], LevelSize);
            MemoryBytes -= (long)LevelSize;
            _levels[level] = null;
        }
        Debug.Assert(MemoryBytes == 0, "the index lost count of its bytes");
        Array.Clear(_slotsInUse);
        _levelsInUse = 0;
        Count = 0;
    }

    private static nuint LevelSize => (nuint)(SlotCount * sizeof(DeadlineChain));

    private static int Digit(long timeMs, int level) =>
        (int)(timeMs >> (level * DigitBits)) & (SlotCount - 1);

    private static int LevelOf(long differenceMs) => BitOperations.Log2((ulong)differenceMs) / DigitBits;

    private void Insert(in DeadlineRecord record)
    {
        if (record.DeadlineMs <= _timeMs)
        {
            MemoryBytes += _loose.Push(_arena, record);
            return;
        }
        int level = LevelOf(record.DeadlineMs ^ _timeMs);
        DeadlineChain* slot = SlotFor(level, Digit(record.DeadlineMs, level));
        MemoryBytes += slot->Push(_arena, record);
    }

    // The slot's chain, which is put in use: its memory means nothing while its bit is clear.
    private DeadlineChain* SlotFor(int level, int slot)
    {
        if (_levels[level] == null)
        {
            _levels[level] = (DeadlineChain*)_arena.Allocate(LevelSize);
            MemoryBytes += (long)LevelSize;
        }
        // SAFETY: the level's block has SlotCount chains and a digit is below SlotCount.
        DeadlineChain* chain = _levels[level] + slot;
        ref ulong word = ref _slotsInUse[level * WordsPerLevel + slot / 64];
        ulong bit = 1UL << (slot % 64);
        if ((word & bit) == 0)
        {
            word |= bit;
            _levelsInUse |= 1u << level;
            *chain = DeadlineChain.Empty;
        }
        return chain;
    }

    // The first slot in use of a level, at or after the given one; -1 when there is none.
    private int FirstSlot(int level, int slot)
    {
        for (int word = slot / 64; word < WordsPerLevel; word++)
        {
            ulong bits = _slotsInUse[level * WordsPerLevel + word];
            if (word == slot / 64) bits &= ulong.MaxValue << (slot % 64);
            if (bits != 0) return word * 64 + BitOperations.TrailingZeroCount(bits);
        }
        return -1;
    }

    // Takes a slot's chain away and puts the slot out of use.
    private DeadlineChain Detach(int level, int slot)
    {
        _slotsInUse[level * WordsPerLevel + slot / 64] &= ~(1UL << (slot % 64));
        if (FirstSlot(level, 0) < 0) _levelsInUse &= ~(1u << level);
        return _levels[level][slot];
    }

    // Opens the next slot if it has begun; else brings the wheel's time up to the caller's.
    private bool OpenNextSlot(long nowMs)
    {
        if (_levelsInUse != 0)
        {
            int level = BitOperations.TrailingZeroCount(_levelsInUse);
            int slot = FirstSlot(level, 0);
            int shift = level * DigitBits;
            long startMs = ((_timeMs >> shift) - Digit(_timeMs, level) + slot) << shift;
            if (startMs <= nowMs)
            {
                _timeMs = startMs;
                _loose = Detach(level, slot);
                return true;
            }
        }
        _timeMs = nowMs;
        return false;
    }

    // The clock went back. All records below the highest digit that changes share that digit of the old time,
    // so they belong, seen from the new time, into the slot of that digit.
    private void Rewind(long nowMs)
    {
        int changedLevel = LevelOf(_timeMs ^ nowMs);
        int changedSlot = Digit(_timeMs, changedLevel);
        for (int level = 0; level < changedLevel; level++)
        {
            for (int slot; (slot = FirstSlot(level, 0)) >= 0;)
            {
                DeadlineChain chain = Detach(level, slot);
                SlotFor(changedLevel, changedSlot)->Splice(ref chain);
            }
        }
        _timeMs = nowMs;
    }

    private bool DetachNextForCompaction()
    {
        while (_compactionPosition < LevelCount * SlotCount)
        {
            int level = _compactionPosition / SlotCount;
            int slot = FirstSlot(level, _compactionPosition % SlotCount);
            if (slot < 0)
            {
                _compactionPosition = (level + 1) * SlotCount;
                continue;
            }
            _compactionPosition = level * SlotCount + slot + 1;
            _compacting = Detach(level, slot);
            return true;
        }
        return false;
    }
}
