// A native block with several holders: an output chunk that one loop sends while another still fills it, or a
// message on its way to a thousand subscribers.
//
//   ┌────────────────────────────────────────────────────────┬──────────────────────────┐
//   │ Data, Capacity, references, pool, bin (a line of its own)│ Capacity bytes of data │
//   └────────────────────────────────────────────────────────┴──────────────────────────┘
//     64 bytes
//
// The header has a cache line to itself, so that counting references does not take the data from other cores'
// caches. Releasing the last reference, on any thread, returns the block to its pool.

namespace Cinnabar.Memory;

/// <summary>A reference-counted native block; exists only in native memory, behind a pointer.</summary>
[StructLayout(LayoutKind.Sequential, Size = HeaderBytes)]
public unsafe struct SharedBlock
{
    /// <summary>
    /// The bytes before the data. Capacities of 4 KiB, 16 KiB, 64 KiB and 1 MiB less this fill a pool's
    /// block.
    /// </summary>
    public const int HeaderBytes = 64;

    /// <summary>The first byte of data.</summary>
    public byte* Data;

    /// <summary>Bytes of data: at least the requested capacity.</summary>
    public int Capacity;

    private int _references;
    private nint _pool;
    private int _bin;

    /// <summary>A block with one reference, which is the caller's; contents undefined.</summary>
    /// <param name="pool">Whose memory it is.</param>
    /// <param name="capacity">Bytes of data at least.</param>
    public static SharedBlock* Create(SharedBlockPool pool, int capacity)
    {
        byte* memory = pool.Take(capacity, out int bin, out int realCapacity);
        SharedBlock* block = (SharedBlock*)memory;
        block->Data = memory + HeaderBytes;
        block->Capacity = realCapacity;
        block->_pool = pool.Handle;
        block->_bin = bin;
        // ORDER: none needed here: publishing the pointer makes the block visible to others.
        block->_references = 1;
        return block;
    }

    /// <summary>Whether there are references besides the caller's own.</summary>
    // ORDER: only the caller can raise a count of one, so a stale read errs on the safe side.
    public bool IsShared => Volatile.Read(ref _references) > 1;

    /// <summary>Adds a reference. One must be held, by the caller or by another holder.</summary>
    /// <exception cref="MemoryFaultException">None was held.</exception>
    public void Retain()
    {
        // ORDER: a new reference is made from an existing one, so nothing has to be ordered but the count
        // itself.
        if (Interlocked.Increment(ref _references) <= 1)
            throw new MemoryFaultException("a shared block was retained after its last release");
    }

    /// <summary>Drops a reference; with the last one the block goes back to its pool.</summary>
    /// <exception cref="MemoryFaultException">There was none left.</exception>
    public void Release()
    {
        // ORDER: a full fence: each holder's accesses come before the return of the block.
        int references = Interlocked.Decrement(ref _references);
        if (references > 0)
            return;
        if (references < 0)
            throw new MemoryFaultException("a shared block was released more often than retained");
        // SAFETY: the handle lives until the pool is disposed and its last block is back, and this one is not
        // yet; `this` lies in native memory, so its address is stable.
        SharedBlockPool pool = (SharedBlockPool)GCHandle.FromIntPtr(_pool).Target!;
        pool.GiveBack((byte*)Unsafe.AsPointer(ref this), _bin, Capacity);
    }
}
