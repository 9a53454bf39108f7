// What it costs to touch a huge page for the first time, and whether that is bearable.
//
// Clearing 2 MiB takes 0.1 to 0.2 ms where the machine has the memory. A virtual machine may only believe so:
// its host finds each 4 KiB when they are first written (firecracker, over-committed hosts, balloons that
// took free memory back). Measured (2026-11-22): 10 us for each, so 5.1 ms in the system's clearing of one
// huge page, during which nothing else runs on that processor; the same 10 us a page on small pages, one at a
// time. So where two huge pages in a row took more than a millisecond of the toucher's processor time, the
// next regions are on small pages. Whether the host has become faster is tried again with one huge page after
// memory has grown by 256 MiB, then twice as much each time; or once it has shrunk to half.
//
// What it costs: commands over a million keys 30 deep had 4 % less throughput on small pages, inserts 2 %
// (address translation). What it gains: inserts at half load, wait of another client at p99.99 8.5 ms instead
// of 12.0, where 8.2 is what the same server has when nothing grows; the server's own processor time in it
// 3.8 ms instead of 10.8.
using System;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>Decides by what first touches took whether regions get huge pages; guarded by their page source's
/// lock.</summary>
internal unsafe struct TouchCost
{
    /// <summary>A touch that takes longer is slow; nanoseconds of processor time.</summary>
    internal const long SlowNs = 1_000_000;

    /// <summary>So much growth on small pages before huge ones are tried again for the first time.</summary>
    internal const long RetryBytesMin = 256 << 20;

    private const long RetryBytesMax = 16L << 30;
    private const int SlowCountMin = 2;

    private int _slowCount;
    private long _retryBytes;
    private long _smallFromBytes;
    private long _smallUntilBytes;

    /// <summary>Touches the huge page of an address.</summary>
    /// <param name="address">Nobody else uses the byte, which is zero.</param>
    /// <returns>What it took: nanoseconds of this thread's processor time; 0 where the system tells no
    /// such.</returns>
    internal static long OfHugePage(byte* address)
    {
        long startNs = Now();
        NativePages.Touch(address);
        return Now() - startNs;
    }

    /// <summary>Touches all small pages of half a region, giving way to others meanwhile.</summary>
    /// <param name="half">Nobody else uses the first byte of any of its pages, which is zero.</param>
    /// <param name="work">The thread's.</param>
    /// <returns>Nanoseconds, as above.</returns>
    internal static long OfPages(byte* half, LongWork work)
    {
        long startNs = Now();
        for (nuint offset = 0; offset < Region.HalfBytes; offset += NativePages.PageSize)
        {
            NativePages.Touch(half + offset);
            work.Breathe();
        }
        return Now() - startNs;
    }

    /// <summary>Counts the first touch of a huge page.</summary>
    /// <param name="touchNs">What it took.</param>
    /// <param name="mappedBytes">How much memory there is.</param>
    internal void Count(long touchNs, long mappedBytes)
    {
        if (touchNs < SlowNs)
        {
            _slowCount = 0;
            _retryBytes = 0;
            return;
        }
        if (++_slowCount < SlowCountMin)
            return;
        // The next attempt is one page.
        _slowCount = SlowCountMin - 1;
        _retryBytes = Math.Clamp(_retryBytes * 2, RetryBytesMin, RetryBytesMax);
        _smallFromBytes = mappedBytes;
        _smallUntilBytes = mappedBytes + _retryBytes;
    }

    /// <summary>Whether a new region may be on huge pages.</summary>
    /// <param name="mappedBytes">How much memory there is.</param>
    internal readonly bool AllowsHuge(long mappedBytes) =>
        mappedBytes >= _smallUntilBytes || mappedBytes < _smallFromBytes / 2;

    private static long Now() => OperatingSystem.IsLinux() ? ThreadTime.NanosecondsOfThisThread : 0;
}
