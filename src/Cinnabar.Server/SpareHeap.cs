using System;
using System.Runtime;
using Cinnabar.Platform;

namespace Cinnabar.Server;

/// <summary>
/// Gives back what compiling leaves behind. When the first load comes, hundreds of methods are compiled for
/// it within a second or two. The compiler keeps the memory it did that in for some seconds, then leaves it
/// to the C library, which keeps it for good: 4 to 7 MB, as much as seven bytes a key of a million. Looked at
/// now and then by a thread with nothing else to do.
/// </summary>
internal sealed class SpareHeap
{
    /// <summary>How often to look.</summary>
    internal static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    /// <summary>How often to trim after the last compilation: the compiler empties one of two lists every two
    /// seconds.</summary>
    internal const int TrimCount = 6;

    private readonly Func<long> _compiledCount;
    private readonly Action _reclaim;
    private readonly Func<bool> _trim;
    private long _compiledCountBefore;
    private int _trimCountLeft;
    private bool _isOff;

    internal SpareHeap()
        : this(static () => JitInfo.GetCompiledMethodCount(currentThread: false),
            GC.WaitForPendingFinalizers, ProcessControl.TryTrimHeap)
    {
    }

    /// <param name="compiledCount">How many methods were compiled.</param>
    /// <param name="reclaim">Has the compiler free what it keeps. It is the finalizers' thread that does so,
    /// and waiting for it wakes it.</param>
    /// <param name="trim">Has the C library give back what is free; false where it cannot.</param>
    internal SpareHeap(Func<long> compiledCount, Action reclaim, Func<bool> trim)
    {
        _compiledCount = compiledCount;
        _reclaim = reclaim;
        _trim = trim;
    }

    /// <summary>Trims the heap if something was compiled not long ago, but nothing since the last
    /// look.</summary>
    internal void Look()
    {
        if (_isOff)
            return;
        long compiledCount = _compiledCount();
        if (compiledCount != _compiledCountBefore)
        {
            _compiledCountBefore = compiledCount;
            _trimCountLeft = TrimCount;
            _reclaim();
        }
        else if (_trimCountLeft > 0)
        {
            _trimCountLeft--;
            _reclaim();
            _isOff = !_trim();
        }
    }
}
