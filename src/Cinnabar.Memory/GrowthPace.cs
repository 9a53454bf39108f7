using System;

namespace Cinnabar.Memory;

/// <summary>How fast slabs are being taken, and so how many should be ready; guarded by their page source's
/// lock.</summary>
internal struct GrowthPace
{
    private const long SpanMs = 100;

    // Ready should be a 256th of all memory, but at least 1 MiB, and what is taken in two spans, but of that
    // at most 64 MiB.
    private const int ReadyShare = 256;
    private const int ReadyCountMin = 16;
    private const int SpanCount = 2;
    private const int PaceCountMax = 1024;

    private long _startMs;
    private int _count;

    /// <summary>How many slabs were taken in the last whole span, or in this one if that is more; 0 if none
    /// was for long.</summary>
    internal int RecentCount { get; private set; }

    /// <summary>Counts a slab.</summary>
    /// <param name="nowMs">Milliseconds since any moment, the same for all calls.</param>
    internal void Count(long nowMs)
    {
        long passedMs = nowMs - _startMs;
        if (passedMs >= SpanMs)
        {
            RecentCount = passedMs < 2 * SpanMs ? _count : 0;
            (_startMs, _count) = (nowMs, 0);
        }

        _count++;
        RecentCount = Math.Max(RecentCount, _count);
    }

    /// <summary>Says that nothing was taken for long.</summary>
    internal void Forget() => (RecentCount, _count) = (0, 0);

    /// <summary>How many slabs are to be ready, once there are huge pages.</summary>
    internal readonly long ReadyCount(long mappedBytes) => Math.Max(
        Math.Clamp(SpanCount * RecentCount, ReadyCountMin, PaceCountMax),
        mappedBytes / Slab.Bytes / ReadyShare);
}
