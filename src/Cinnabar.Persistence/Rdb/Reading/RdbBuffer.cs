namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Memory for a string that is not in the input as it is (compressed, digits): used for one after
/// the other.</summary>
// SAFETY: what is handed out is within the block, which the next call may move.
internal sealed unsafe class RdbBuffer : IDisposable
{
    private const int SizeMin = 4096;
    private const int KeptSizeMax = 1 << 20;

    private byte* _data;
    private int _size;

    /// <summary>The most bytes that it has had: for tests.</summary>
    internal int SizeMax { get; private set; }

    /// <summary>The bytes of a string: those of the input, or valid until the next call.</summary>
    public ReadOnlySpan<byte> Text(scoped ref RdbCursor cursor)
    {
        RdbString text = cursor.ReadString();
        if (text.Kind == RdbStringKind.Raw)
            return text.Stored;
        Span<byte> target = Take(text.Length);
        text.CopyTo(target);
        return target;
    }

    /// <summary>Frees a block that is too large to be kept.</summary>
    public void Trim()
    {
        if (_size > KeptSizeMax)
            Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_data);
        _data = null;
        _size = 0;
    }

    private Span<byte> Take(int size)
    {
        if (size > _size)
        {
            Dispose();
            int rounded = (int)Math.Min(
                BitOperations.RoundUpToPowerOf2((ulong)Math.Max(size, SizeMin)), int.MaxValue);
            _data = (byte*)NativeMemory.Alloc((nuint)rounded);
            _size = rounded;
            SizeMax = Math.Max(SizeMax, rounded);
        }

        return new Span<byte>(_data, size);
    }
}
