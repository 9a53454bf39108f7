namespace Cinnabar.Resp;

// A growable array of arguments in native memory. A loop owns one for the commands of its turn. A session
// with half a command owns one with the arguments found so far; they stay there, as offsets, until the
// command is complete (TakeFrom) or the session ends.
//
// Memory follows use: the array is allocated with the first argument, doubles as it grows, and Clear gives
// it back once it has more than `keptCountMax` places. So one command of ten million arguments does not leave
// its 240 MB with the loop or with a pooled input.
//
// Scratch: inline commands may quote ("a\x00b"), and the unquoted bytes must live somewhere. They are not
// unquoted in the input, because input that was scanned ahead is scanned again when an earlier command of
// the batch suspends its session. Scratch memory is a chain of chunks that never move; Clear frees all but
// the first.
//
//     _scratch -> | next | size | bytes ... |  -> | next | size | bytes ... | -> 0
//
// Limits: at most 2^31 - 1 arguments. Not thread-safe: one owner at a time.

/// <summary>A native, growable array of <see cref="Argument"/> with scratch memory for unquoted
/// text.</summary>
public sealed unsafe class ArgumentBuffer : IDisposable
{
    private const int CapacityMin = 16;
    private const int KeptCountMaxDefault = 1024;
    private const int ChunkHeaderSize = 16;
    private const int ChunkSizeMin = 1024;

    // Up to this number of arguments a copy costs less than growing a new array later.
    private const int CopiedCountMax = 256;

    /// <summary>First argument; changes when the buffer grows or gives memory back.</summary>
    public Argument* Items;

    /// <summary>Number of arguments held.</summary>
    public int Count;

    private readonly int _keptCountMax;
    private int _capacity;
    private byte* _scratch;
    private int _scratchUsed;

    /// <summary>An empty buffer.</summary>
    /// <param name="keptCountMax">number of arguments whose array <see cref="Clear"/> keeps</param>
    public ArgumentBuffer(int keptCountMax = KeptCountMaxDefault)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(keptCountMax, CapacityMin);
        _keptCountMax = keptCountMax;
    }

    /// <summary>Number of arguments there is room for without growing.</summary>
    public int Capacity => _capacity;

    /// <summary>Bytes of the array.</summary>
    public long MemoryUsage => (long)_capacity * sizeof(Argument);

    /// <summary>Makes room for <paramref name="count"/> arguments in all; may move <see
    /// cref="Items"/>.</summary>
    public void EnsureCapacity(int count)
    {
        if (count > _capacity)
        {
            Grow(count);
        }
    }

    /// <summary>Appends one argument.</summary>
    public void Append(byte* data, int length, uint flags)
    {
        Debug.Assert(length >= 0, "an argument has no negative length");
        EnsureCapacity(checked(Count + 1));
        // SAFETY: Count is below the capacity now, and Items has room for that many.
        Argument* item = Items + Count++;
        item->Data = data;
        item->Length = length;
        item->Flags = flags;
        item->Hash = 0;
    }

    /// <summary>Moves the last <paramref name="count"/> arguments to the end of another buffer.</summary>
    /// <remarks>For half a command, whose session keeps what the loop's buffer held. Scratch is not moved;
    /// half a command never uses any.</remarks>
    public void MoveTailTo(ArgumentBuffer target, int count)
    {
        Debug.Assert((uint)count <= (uint)Count, "no more arguments are moved than there are");
        target.EnsureCapacity(checked(target.Count + count));
        Count -= count;
        new ReadOnlySpan<Argument>(Items + Count, count)
            .CopyTo(new Span<Argument>(target.Items + target.Count, count));
        target.Count += count;
    }

    /// <summary>Moves all arguments of another buffer to the end of this one. An empty buffer takes the
    /// array of many arguments over instead of copying them.</summary>
    public void TakeFrom(ArgumentBuffer source)
    {
        Debug.Assert(source != this, "a buffer does not take from itself");
        if (Count > 0 || source.Count <= CopiedCountMax)
        {
            source.MoveTailTo(this, source.Count);
            return;
        }

        FreeItems();
        Items = source.Items;
        (Count, _capacity) = (source.Count, source._capacity);
        source.Items = null;
        (source.Count, source._capacity) = (0, 0);
    }

    /// <summary>Forgets all arguments and scratch memory; keeps an array of usual size for the next
    /// turn.</summary>
    public void Clear()
    {
        Count = 0;
        if (_capacity > _keptCountMax)
        {
            FreeItems();
        }

        if (_scratch != null)
        {
            ClearScratch();
        }
    }

    /// <summary>Memory that stays where it is until <see cref="Clear"/>.</summary>
    /// <param name="size">bytes, at least 1</param>
    internal byte* AllocateScratch(int size)
    {
        Debug.Assert(size > 0, "a block of scratch memory has at least one byte");
        if (_scratch == null || size > ChunkSize(_scratch) - _scratchUsed)
        {
            int chunkSize = Math.Max(checked(size + ChunkHeaderSize), ChunkSizeMin);
            byte* chunk = (byte*)NativeMemory.Alloc((nuint)chunkSize);
            // SAFETY: a chunk begins with its header, whose 16 bytes are never handed out.
            *(byte**)chunk = _scratch;
            *(int*)(chunk + sizeof(ulong)) = chunkSize;
            _scratch = chunk;
            _scratchUsed = ChunkHeaderSize;
        }

        byte* block = _scratch + _scratchUsed;
        _scratchUsed += size;
        return block;
    }

    /// <summary>Frees all memory. The buffer is then as new.</summary>
    public void Dispose()
    {
        while (_scratch != null)
        {
            FreeScratchChunk();
        }

        FreeItems();
        Count = 0;
    }

    private static int ChunkSize(byte* chunk) => *(int*)(chunk + sizeof(ulong));

    private void FreeItems()
    {
        NativeMemory.Free(Items);
        Items = null;
        _capacity = 0;
    }

    private void FreeScratchChunk()
    {
        byte* next = *(byte**)_scratch;
        NativeMemory.Free(_scratch);
        _scratch = next;
    }

    private void ClearScratch()
    {
        while (*(byte**)_scratch != null)
        {
            FreeScratchChunk();
        }

        _scratchUsed = ChunkHeaderSize;
    }

    private void Grow(int count)
    {
        int capacity = (int)Math.Min(Array.MaxLength, Math.Max(count, Math.Max(CapacityMin, _capacity * 2L)));
        Items = (Argument*)NativeMemory.Realloc(Items, (nuint)capacity * (nuint)sizeof(Argument));
        _capacity = capacity;
    }
}
