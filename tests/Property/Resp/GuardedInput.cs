using System;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Property.Resp;

// Input that ends exactly where its mapping does: on Linux the page behind it is unmapped, so that reading
// one byte too many ends the process. Elsewhere the bytes behind it are as many as a page has.

/// <summary>Memory in which a read past the end of the input is a fault.</summary>
internal sealed unsafe class GuardedInput : IDisposable
{
    private readonly nuint _size;
    private readonly nuint _mappedSize;
    private readonly byte* _pages;

    internal GuardedInput(int sizeMax)
    {
        nuint page = Math.Max(NativePages.PageSize, 4096);
        _size = ((nuint)sizeMax + page - 1) / page * page;
        _pages = NativePages.Map(_size + page, page);
        _mappedSize = OperatingSystem.IsLinux() ? _size : _size + page;
        if (_mappedSize == _size)
        {
            NativePages.Unmap(_pages + _size, page);
        }
    }

    public void Dispose() => NativePages.Unmap(_pages, _mappedSize);

    /// <summary>Puts the bytes at the end; returns the first.</summary>
    internal byte* Place(ReadOnlySpan<byte> bytes)
    {
        byte* start = _pages + _size - bytes.Length;
        bytes.CopyTo(new Span<byte>(start, bytes.Length));
        return start;
    }
}
