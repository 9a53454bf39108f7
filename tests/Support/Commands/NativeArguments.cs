using System;
using System.Runtime.InteropServices;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>Arguments in native memory, each a block of its own, all hashed as if they were keys.</summary>
public sealed unsafe class NativeArguments : IDisposable
{
    private readonly Argument* _items;
    private readonly int _count;

    /// <summary>Copies the words.</summary>
    public NativeArguments(Cinnabar.Keyspace.Keyspace keyspace, byte[][] words)
    {
        _count = words.Length;
        _items = (Argument*)NativeMemory.Alloc((nuint)(_count * sizeof(Argument)));
        for (int index = 0; index < _count; index++)
        {
            byte[] word = words[index];
            byte* data = (byte*)NativeMemory.Alloc((nuint)Math.Max(1, word.Length));
            word.CopyTo(new Span<byte>(data, word.Length));
            _items[index] = new Argument { Data = data, Length = word.Length, Hash = keyspace.Hash(word) };
        }
    }

    /// <summary>The arguments.</summary>
    public ArgumentList List => new(_items, _count);

    /// <inheritdoc/>
    public void Dispose()
    {
        for (int index = 0; index < _count; index++)
            NativeMemory.Free(_items[index].Data);
        NativeMemory.Free(_items);
    }
}
