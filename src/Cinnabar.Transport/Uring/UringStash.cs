namespace Cinnabar.Transport.Uring;

/// <summary>Bytes that were received for a session that takes none now.</summary>
internal unsafe struct UringStash
{
    private const int CapacityMin = 1024;

    private byte* _bytes;
    private int _capacity;

    /// <summary>How many.</summary>
    public int Length { get; private set; }

    /// <summary>Appends bytes.</summary>
    public void Append(byte* data, int length)
    {
        Debug.Assert(length > 0, "a reception has bytes");
        if (_capacity - Length < length)
        {
            _capacity = Math.Max(2 * _capacity, Math.Max(CapacityMin, Length + length));
            _bytes = (byte*)NativeMemory.Realloc(_bytes, (nuint)_capacity);
        }

        // SAFETY: there is room for them behind the others.
        Buffer.MemoryCopy(data, _bytes + Length, _capacity - Length, length);
        Length += length;
    }

    /// <summary>Takes all bytes; the caller frees them by <see cref="NativeMemory.Free"/>.</summary>
    public byte* Take(out int length)
    {
        byte* bytes = _bytes;
        length = Length;
        this = default;
        return bytes;
    }

    /// <summary>Drops all bytes.</summary>
    public void Clear()
    {
        NativeMemory.Free(_bytes);
        this = default;
    }
}
