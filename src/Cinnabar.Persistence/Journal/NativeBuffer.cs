using System.Runtime.Intrinsics;

namespace Cinnabar.Persistence.Journal;

/// <summary>Bytes in native memory, as many as are appended.</summary>
internal sealed unsafe class NativeBuffer : IDisposable
{
    private const int CapacityMin = 64 * 1024;

    // A buffer that was once large does not stay so.
    private const long KeptCapacityMax = 1 << 20;

    private byte* _data;
    private long _capacity;

    /// <summary>How many bytes there are.</summary>
    internal long Count { get; private set; }

    /// <summary>Some of the bytes.</summary>
    // SAFETY: the memory is this buffer's until it is disposed.
    internal ReadOnlySpan<byte> Slice(long start, long count)
    {
        Debug.Assert(start >= 0 && count >= 0 && start + count <= Count, "not in the buffer");
        return new ReadOnlySpan<byte>(_data + start, (int)count);
    }

    internal void Append(ReadOnlySpan<byte> bytes)
    {
        if (Count + bytes.Length > _capacity)
            Grow(Count + bytes.Length);
        // SAFETY: the memory has room for them.
        bytes.CopyTo(new Span<byte>(_data + Count, bytes.Length));
        Count += bytes.Length;
    }

    /// <summary>As the other form, for few bytes: they are copied as whole vectors.</summary>
    /// <param name="data">The bytes; a vector more can be read.</param>
    /// <param name="length">How many count.</param>
    // SAFETY: the memory has room for the vector that the last byte is in.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AppendShort(byte* data, int length)
    {
        if (Count + length + Vector256<byte>.Count > _capacity)
            Grow(Count + length + Vector256<byte>.Count);
        byte* place = _data + Count;
        for (int offset = 0; offset < length; offset += Vector256<byte>.Count)
            Vector256.Store(Vector256.Load(data + offset), place + offset);
        Count += length;
    }

    /// <summary>Drops the first bytes.</summary>
    internal void RemoveFront(long count)
    {
        Debug.Assert(count <= Count, "not in the buffer");
        Count -= count;
        // SAFETY: both ranges lie in the memory.
        Buffer.MemoryCopy(_data + count, _data, Count, Count);
        if (Count == 0 && _capacity > KeptCapacityMax)
            Dispose();
    }

    /// <summary>Frees the memory.</summary>
    public void Dispose()
    {
        NativeMemory.Free(_data);
        _data = null;
        (_capacity, Count) = (0, 0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(long countMin)
    {
        _capacity = Math.Max(Math.Max(CapacityMin, countMin), 2 * _capacity);
        _data = (byte*)NativeMemory.Realloc(_data, (nuint)_capacity);
    }
}
