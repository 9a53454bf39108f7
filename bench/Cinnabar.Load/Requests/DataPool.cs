using System;
using System.Runtime.InteropServices;
using Cinnabar.Platform;

namespace Cinnabar.Load.Requests;

/// <summary>The bytes that values are cut out of: all <c>x</c>, or random ones, where each value begins
/// anywhere. Read by all threads of a load, written by none.</summary>
internal sealed unsafe class DataPool : IDisposable
{
    private const int SpareSize = 1 << 20;
    private readonly byte* _data;
    private readonly int _startCount;

    /// <summary>Bytes for values of at most <paramref name="sizeMax"/>.</summary>
    public DataPool(int sizeMax, bool isRandom, ulong seed)
    {
        _startCount = isRandom ? SpareSize : 1;
        int size = sizeMax + _startCount + sizeof(ulong);
        _data = (byte*)NativeMemory.Alloc((nuint)size);
        new Span<byte>(_data, size).Fill((byte)'x');
        if (!isRandom) return;
        var random = new RandomSource(seed);
        foreach (ref ulong word in MemoryMarshal.Cast<byte, ulong>(new Span<byte>(_data, size)))
            word = random.Next();
    }

    /// <summary>Where a value's bytes begin: as many as the largest size follow.</summary>
    // SAFETY: the start is below _startCount, and the memory is _startCount longer than the largest value;
    // it is freed when the generator is disposed of, whose threads have ended by then.
    public byte* Next(ref RandomSource random) =>
        _startCount == 1 ? _data : _data + random.NextBelow((ulong)_startCount);

    public void Dispose() => NativeMemory.Free(_data);
}
