using System;
using Cinnabar.Platform;
using Cinnabar.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class SpareHeapTests
{
    private long _compiledCount = 10;
    private int _reclaimCount;
    private int _trimCount;
    private bool _isKnown = true;

    [Fact]
    public void TheHeapIsTrimmedSomeTimesWhenCompilingHasEnded()
    {
        var heap = new SpareHeap(() => _compiledCount, () => _reclaimCount++, Trim);
        for (int look = 0; look < 5; look++)
        {
            _compiledCount++;
            heap.Look();
            Assert.Equal(0, _trimCount);
            Assert.Equal(look + 1, _reclaimCount);
        }

        for (int look = 0; look < 2; look++)
            heap.Look();
        Assert.Equal(2, _trimCount);
        _compiledCount++;
        for (int look = 0; look < 100; look++)
            heap.Look();
        Assert.Equal(2 + SpareHeap.TrimCount, _trimCount);
    }

    [Fact]
    public void WhereTheHeapCannotBeTrimmedNobodyTriesAgain()
    {
        _isKnown = false;
        var heap = new SpareHeap(() => _compiledCount, () => _reclaimCount++, Trim);
        for (int look = 0; look < 5; look++)
            heap.Look();
        _compiledCount++;
        for (int look = 0; look < 5; look++)
            heap.Look();
        Assert.Equal(1, _trimCount);
    }

    [Fact]
    public void TheSystemTakesTheCall() =>
        Assert.True(ProcessControl.TryTrimHeap() || !OperatingSystem.IsLinux() || IsForeignLibrary());

    // Alpine's C library, for one, does not know the call.
    private static bool IsForeignLibrary() =>
        System.Runtime.InteropServices.RuntimeInformation.RuntimeIdentifier.Contains(
            "musl", StringComparison.Ordinal);

    private bool Trim()
    {
        _trimCount++;
        return _isKnown;
    }
}
