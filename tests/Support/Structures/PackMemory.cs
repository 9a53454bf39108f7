using System;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Support.Structures;

// Memory whose end is the end of a mapping: on Linux the page behind it is unmapped, so an access one byte
// too far ends the process. In front of it there are canaries, which are looked at when it changes its size.

/// <summary>A block for one compact structure, of exactly the bytes it was asked for.</summary>
public sealed unsafe class PackMemory : IDisposable
{
    private const byte Canary = 0xA7;
    private const int CanarySize = 64;
    private readonly nuint _size;
    private readonly nuint _mappedSize;
    private readonly byte* _pages;

    /// <param name="capacityMax">The most bytes that will be asked for.</param>
    public PackMemory(int capacityMax)
    {
        nuint page = Math.Max(NativePages.PageSize, 4096);
        _size = ((nuint)capacityMax + CanarySize + page - 1) / page * page;
        _pages = NativePages.Map(_size + page, page);
        _mappedSize = OperatingSystem.IsLinux() ? _size : _size + page;
        if (_mappedSize == _size) NativePages.Unmap(_pages + _size, page);
        SetCanaries();
    }

    /// <summary>The first byte.</summary>
    public byte* Data => _pages + _size - Capacity;

    /// <summary>How many bytes there are.</summary>
    public int Capacity { get; private set; }

    /// <summary>All bytes.</summary>
    public Span<byte> Span => new(Data, Capacity);

    /// <summary>Changes the number of bytes; as many of the first ones as remain are kept.</summary>
    public void Resize(int capacity)
    {
        CheckCanaries();
        byte* old = Data;
        int kept = Math.Min(capacity, Capacity);
        Capacity = capacity;
        Buffer.MemoryCopy(old, Data, capacity, kept);
        SetCanaries();
    }

    /// <summary>Becomes these bytes.</summary>
    public void Set(ReadOnlySpan<byte> bytes)
    {
        Resize(bytes.Length);
        bytes.CopyTo(Span);
    }

    /// <summary>Throws if something was written in front of the bytes.</summary>
    public void CheckCanaries()
    {
        if (new ReadOnlySpan<byte>(Data - CanarySize, CanarySize).ContainsAnyExcept(Canary))
            throw new InvalidOperationException("something was written in front of the block");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CheckCanaries();
        NativePages.Unmap(_pages, _mappedSize);
    }

    private void SetCanaries() => new Span<byte>(Data - CanarySize, CanarySize).Fill(Canary);
}
