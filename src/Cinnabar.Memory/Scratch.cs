using System;
using System.Runtime.InteropServices;

namespace Cinnabar.Memory;

/// <summary>
/// Memory for the time of one command, not the garbage collector's: arrays of megabytes would have it
/// collect, with all threads standing still, every few commands. Copies share it: one of them is disposed of,
/// once.
/// </summary>
/// <typeparam name="T">What it holds.</typeparam>
public readonly unsafe struct Scratch<T> : IDisposable
    where T : unmanaged
{
    private readonly T* _start;

    /// <summary>Takes memory; what it holds is anything.</summary>
    /// <param name="length">How many items it has room for.</param>
    /// <exception cref="OutOfMemoryException">There is none.</exception>
    public Scratch(int length)
    {
        _start = (T*)NativeMemory.Alloc((nuint)length, (nuint)sizeof(T));
        Length = length;
    }

    /// <summary>How many items it has room for.</summary>
    public int Length { get; }

    /// <summary>All of it.</summary>
    // SAFETY: as many items as were taken.
    public Span<T> Span => new(_start, Length);

    /// <summary>Gives the memory back.</summary>
    // SAFETY: freeing nothing does nothing.
    public void Dispose() => NativeMemory.Free(_start);
}
