using System.Buffers;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>Native memory for calls that take managed memory; it is valid during one call.</summary>
internal sealed unsafe class PointerMemory : MemoryManager<byte>
{
    private byte* _data;
    private int _length;

    /// <summary>The memory behind an address.</summary>
    public Memory<byte> Of(byte* data, int length)
    {
        _data = data;
        _length = length;
        return CreateMemory(length);
    }

    /// <summary>Ends the use of the memory.</summary>
    public void Forget()
    {
        _data = null;
        _length = 0;
    }

    /// <inheritdoc/>
    // SAFETY: the caller of Of vouches for the memory until Forget.
    public override Span<byte> GetSpan() => new(_data, _length);

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0) => new(_data + elementIndex);

    /// <inheritdoc/>
    public override void Unpin()
    {
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
    }
}
