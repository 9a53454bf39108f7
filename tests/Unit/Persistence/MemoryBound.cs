using System;
using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>What reading an input may take, whatever the input says of itself: its size times a factor and
/// a constant, of native memory at the peak and of managed memory in all.</summary>
internal readonly struct MemoryBound
{
    /// <summary>LZF expands a byte to 88 at most: in a buffer, which is up to twice as large as it must be,
    /// and once more in the value. What is not compressed needs less: the block of an element and its place
    /// in a table.</summary>
    public const long Factor = 3 * LzfExpansionMax;

    private const long LzfExpansionMax = 88;

    // Buffers of a reader, which are made before anything is read.
    private const long Fixed = 512 << 10;

    private readonly PageSource _pages;
    private readonly long _usedBytes;
    private readonly long _managedBytes;

    private MemoryBound(PageSource pages)
    {
        _pages = pages;
        pages.Owners.TakePeak();
        _usedBytes = pages.UsedBytes;
        _managedBytes = GC.GetAllocatedBytesForCurrentThread();
    }

    /// <summary>Before the input is read, on the thread that reads it.</summary>
    public static MemoryBound Begin(PageSource pages) => new(pages);

    /// <summary>After it was read or refused.</summary>
    /// <param name="inputBytes">Its size.</param>
    /// <param name="bufferBytes">Native memory that the pages do not count.</param>
    public void AssertKept(long inputBytes, long bufferBytes = 0)
    {
        long managedBytes = GC.GetAllocatedBytesForCurrentThread() - _managedBytes;
        long nativeBytes = _pages.Owners.TakePeak() - _usedBytes + bufferBytes;
        long most = (inputBytes * Factor) + Fixed;
        Assert.True(nativeBytes <= most, $"{nativeBytes} bytes of native memory for {inputBytes}");
        Assert.True(managedBytes <= most, $"{managedBytes} bytes of managed memory for {inputBytes}");
    }
}
