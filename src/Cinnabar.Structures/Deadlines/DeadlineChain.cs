// A stack of deadline records in chunks. The chunks form a ring of which the chain holds the tail, so that
// the head (the only chunk that is written to) and the splicing of two chains are both one step away, and an
// empty slot costs 16 bytes. MinMs is a lower bound of the deadlines: exact as long as nothing was popped.
using Cinnabar.Memory;

namespace Cinnabar.Structures.Deadlines;

internal unsafe struct DeadlineChain
{
    private DeadlineChunk* _tail;

    internal long MinMs;

    internal readonly bool IsEmpty => _tail == null;

    internal static DeadlineChain Empty => new() { MinMs = long.MaxValue };

    /// <summary>Adds a record; returns by how many bytes the chain's blocks grew.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal nint Push(Arena arena, in DeadlineRecord record)
    {
        nint grownBytes = 0;
        DeadlineChunk* head = _tail == null ? null : _tail->Next;
        ushort deadlineHigh = DeadlineChunk.HighOf(record.DeadlineMs);
        ushort databaseHigh = (ushort)(record.Database >> 16);
        if (head == null || head->Count == head->Capacity
            || head->DeadlineHigh != deadlineHigh || head->DatabaseHigh != databaseHigh)
        {
            head = MakeRoom(arena, deadlineHigh, databaseHigh, out grownBytes);
        }
        Debug.Assert(head->Count < head->Capacity, "there is no room for the record");
        // SAFETY: head has room: it had before, or MakeRoom has just seen to it.
        ulong* place = DeadlineChunk.RecordAt(head, head->Count);
        place[0] = record.Hash;
        place[1] = DeadlineChunk.LowOf(record.DeadlineMs, record.Database);
        head->Count++;
        MinMs = Math.Min(MinMs, record.DeadlineMs);
        return grownBytes;
    }

    /// <summary>
    /// Takes the record added last off a chain that is not empty; returns how many bytes were freed.
    /// </summary>
    internal nint Pop(Arena arena, out DeadlineRecord record)
    {
        Debug.Assert(_tail != null, "a record is taken off an empty chain");
        DeadlineChunk* head = _tail->Next;
        Debug.Assert(head->Count > 0, "an empty chunk stays in its chain");
        record = DeadlineChunk.Read(head, --head->Count);
        if (head->Count > 0) return 0;
        nint freedBytes = FreeHead(arena);
        if (_tail == null) MinMs = long.MaxValue;
        return freedBytes;
    }

    /// <summary>Puts the earliest of the records into a sorted span, which may have some already.</summary>
    /// <param name="into">The span, the earliest first.</param>
    /// <param name="count">How many it has.</param>
    /// <param name="budget">How many records may be looked at.</param>
    internal readonly void CopyEarliest(Span<DeadlineRecord> into, ref int count, ref int budget)
    {
        if (_tail == null)
            return;
        // SAFETY: the chunks of a chain are live blocks and form a ring.
        DeadlineChunk* chunk = _tail;
        do
        {
            chunk = chunk->Next;
            for (int index = 0; index < chunk->Count; index++)
                Keep(DeadlineChunk.Read(chunk, index), into, ref count);
            budget -= chunk->Count;
        }
        while (chunk != _tail && budget > 0);
    }

    private static void Keep(in DeadlineRecord record, Span<DeadlineRecord> into, ref int count)
    {
        if (count == into.Length)
        {
            if (record.DeadlineMs >= into[count - 1].DeadlineMs)
                return;
            count--;
        }
        int place = count++;
        for (; place > 0 && into[place - 1].DeadlineMs > record.DeadlineMs; place--)
            into[place] = into[place - 1];
        into[place] = record;
    }

    /// <summary>
    /// Moves all of the other chain's records into this one, in O(1); the other is empty afterwards.
    /// </summary>
    internal void Splice(ref DeadlineChain other)
    {
        if (other._tail != null && _tail != null)
        {
            DeadlineChunk* head = _tail->Next;
            _tail->Next = other._tail->Next;
            other._tail->Next = head;
        }
        else if (other._tail != null)
        {
            _tail = other._tail;
        }
        MinMs = Math.Min(MinMs, other.MinMs);
        other = Empty;
    }

    /// <summary>Frees every chunk with its records; returns how many bytes that were.</summary>
    internal nint Free(Arena arena)
    {
        nint freedBytes = 0;
        while (_tail != null)
        {
            freedBytes += FreeHead(arena);
        }
        this = Empty;
        return freedBytes;
    }

    // Puts a chunk with room at the head: a full small head is replaced by one twice as big, anything else
    // gets a new chunk before it.
    private DeadlineChunk* MakeRoom(Arena arena, ushort deadlineHigh, ushort databaseHigh,
        out nint grownBytes)
    {
        DeadlineChunk* head = _tail == null ? null : _tail->Next;
        bool isAlike = head != null
            && head->DeadlineHigh == deadlineHigh && head->DatabaseHigh == databaseHigh;
        bool isReplacing = isAlike && head->Capacity < DeadlineChunk.CapacityMax;
        int capacity = isReplacing ? head->Capacity * 2 + 1 : isAlike ? DeadlineChunk.CapacityMax : 1;
        nuint size = DeadlineChunk.SizeFor(capacity);
        var chunk = (DeadlineChunk*)arena.Allocate(size);
        chunk->DeadlineHigh = deadlineHigh;
        chunk->DatabaseHigh = databaseHigh;
        chunk->Count = 0;
        chunk->Capacity = (byte)capacity;
        grownBytes = (nint)size;
        if (isReplacing)
        {
            // SAFETY: the new chunk has room for more records than the old one holds.
            Unsafe.CopyBlock(DeadlineChunk.RecordAt(chunk, 0), DeadlineChunk.RecordAt(head, 0),
                (uint)(head->Count * DeadlineChunk.RecordSize));
            chunk->Count = head->Count;
            grownBytes -= FreeHead(arena);
        }
        if (_tail == null)
        {
            _tail = chunk;
            chunk->Next = chunk;
        }
        else
        {
            chunk->Next = _tail->Next;
            _tail->Next = chunk;
        }
        return chunk;
    }

    private nint FreeHead(Arena arena)
    {
        DeadlineChunk* head = _tail->Next;
        if (head == _tail)
        {
            _tail = null;
        }
        else
        {
            _tail->Next = head->Next;
        }
        nuint size = DeadlineChunk.SizeFor(head->Capacity);
        arena.Free((byte*)head, size);
        return (nint)size;
    }
}
