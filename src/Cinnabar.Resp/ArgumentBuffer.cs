using System;
using System.Runtime.InteropServices;

namespace Cinnabar.Resp;

// A growable array of arguments in native memory. A loop owns one for the commands of its turn; a session
// that has half a command in owns a small one with the arguments found so far (MoveTailTo takes them over).
//
// Scratch: inline commands may quote ("a\x00b"), and the unquoted bytes must live somewhere. They are not
// unquoted in the input, because input that was scanned ahead is scanned again when an earlier command of
// the batch suspends its session. Scratch memory is a chain of chunks that never move; Clear gives all but
// the first back.
//
//     _scratch -> | next | size | bytes ... |  -> | next | size | bytes ... | -> 0
//
// Limits: at most 2^31 - 1 arguments. Not thread-safe: one owner at a time.

/// <summary>A native, growable array of <see cref="Argument"/> with scratch memory for unquoted
/// text.</summary>
public sealed unsafe class ArgumentBuffer : IDisposable
{
    private const int CapacityMin = 16;
    private const int ChunkHeaderSize = 16;
    private const int ChunkSizeMin = 1024;

    /// <summary>First argument; changes when the buffer grows.</summary>
    public Argument* Items;

    /// <summary>Number of arguments held.</summary>
    public int Count;

    private int _capacity;
    private byte* _scratch;
    private int _scratchUsed;

    /// <summary>An empty buffer.</summary>
    /// <param name="capacity">number of arguments to have room for at once</param>
    public ArgumentBuffer(int capacity = CapacityMin)
    {
        EnsureCapacity(Math.Max(capacity, 1));
    }

    /// <summary>Number of arguments there is room for without growing.</summary>
    public int Capacity => _capacity;

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
        EnsureCapacity(checked(Count + 1));
        // SAFETY: Count is below the capacity now, and Items has room for that many.
        Argument* item = Items + Count++;
        item->Data = data;
        item->Length = length;
        item->Flags = flags;
        item->Hash = 0;
    }

    /// <summary>Moves the last <paramref name="count"/> arguments to the end of another buffer.</summary>
    /// <remarks>For half a command: its session keeps what the loop's buffer held. Scratch is not moved;
    /// half a
    /// command never uses any.</remarks>
    public void MoveTailTo(ArgumentBuffer target, int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)Count);
        target.EnsureCapacity(checked(target.Count + count));
        Count -= count;
        new ReadOnlySpan<Argument>(Items + Count, count)
            .CopyTo(new Span<Argument>(target.Items + target.Count, count));
        target.Count += count;
    }

    /// <summary>Forgets all arguments and scratch memory; keeps the array for the next turn.</summary>
    public void Clear()
    {
        Count = 0;
        if (_scratch != null)
        {
            ClearScratch();
        }
    }

    /// <summary>Memory that stays where it is until <see cref="Clear"/>.</summary>
    /// <param name="size">bytes, at least 1</param>
    internal byte* AllocateScratch(int size)
    {
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

    /// <summary>Gives all memory back. The buffer must not be used afterwards.</summary>
    public void Dispose()
    {
        while (_scratch != null)
        {
            FreeScratchChunk();
        }

        NativeMemory.Free(Items);
        Items = null;
        Count = 0;
        _capacity = 0;
    }

    private static int ChunkSize(byte* chunk) => *(int*)(chunk + sizeof(ulong));

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
        ObjectDisposedException.ThrowIf(Items == null && _capacity != 0, this);
        int capacity = (int)Math.Min(Array.MaxLength, Math.Max(count, Math.Max(CapacityMin, _capacity * 2L)));
        Items = (Argument*)NativeMemory.Realloc(Items, (nuint)capacity * (nuint)sizeof(Argument));
        _capacity = capacity;
    }
}
