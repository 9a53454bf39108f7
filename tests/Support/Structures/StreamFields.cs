using System;
using System.Runtime.InteropServices;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>An entry's fields and values in native memory.</summary>
public sealed unsafe class StreamFields : IDisposable
{
    private readonly Argument* _items;
    private readonly int _count;

    /// <summary>Copies the texts: fields and values by turns.</summary>
    public StreamFields(params ReadOnlySpan<byte[]> texts)
    {
        _count = texts.Length;
        _items = (Argument*)NativeMemory.AllocZeroed((nuint)(_count * sizeof(Argument)));
        for (int index = 0; index < _count; index++)
        {
            byte[] text = texts[index];
            byte* data = (byte*)NativeMemory.Alloc((nuint)Math.Max(1, text.Length));
            // SAFETY: as many bytes were allocated.
            text.CopyTo(new Span<byte>(data, text.Length));
            _items[index] = new Argument { Data = data, Length = text.Length };
        }
    }

    /// <summary>The texts.</summary>
    public ArgumentList List => new(_items, _count);

    /// <inheritdoc/>
    public void Dispose()
    {
        for (int index = 0; index < _count; index++) NativeMemory.Free(_items[index].Data);
        NativeMemory.Free(_items);
    }
}
