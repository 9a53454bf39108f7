// What it costs to touch memory for the first time, and so whether it may be a huge page.
//
// Clearing 2 MiB takes 0.1 to 0.4 ms where the machine has the memory. A virtual machine may only believe so:
// its host finds each 4 KiB when they are first written (firecracker, over-committed hosts, balloons that
// took free memory back). Measured (2026-11-22): 10 us for each, so 5 ms for a huge page, during which a loop
// that touches it stands still; one whose processor another thread does it on, up to a tick. Small pages take
// the same 10 us one at a time, which delays nobody.
//
// So the cost is learned from small pages: the preparer measures each half of a region that it touches, 0.7
// to 1.1 ms of its processor time where memory is there, 6 where it is not; and whoever takes the first few
// slabs, because the preparer may not get to run while all processors are busy. A half must be fast before
// there are huge pages, or as good as that: a few slabs. Memory that somebody in the machine used shortly
// before is fast, the other is slow: they come in runs of megabytes to a gigabyte, and where one ends nobody
// can tell. So a first slow huge page may still come, after which 256 MiB in a row must be fast on small
// pages, then twice as much each time.
//
// What small pages cost: commands over a million keys 30 deep had 4 % less throughput, inserts 2 % (address
// translation).
using System;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>Decides by what first touches took whether memory may be on huge pages; guarded by its page
/// source's lock.</summary>
internal unsafe struct TouchCost
{
    /// <summary>A touch of a huge page that takes longer is slow; nanoseconds of processor time.</summary>
    internal const long SlowHugeNs = 1_000_000;

    /// <summary>The same for the small pages of half a region, each of which asks the system
    /// anew.</summary>
    internal const long SlowSmallNs = 2_000_000;

    /// <summary>The same for the small pages of a slab.</summary>
    internal const long SlowSlabNs = SlowSmallNs / Region.HalfCount;

    /// <summary>So many slabs, when in a row they were fast, count as half a region.</summary>
    internal const int SlabCountMin = 4;

    /// <summary>So many slabs are measured.</summary>
    internal const int SlabCountMax = 8;

    /// <summary>How many halves in a row must have been fast after the first slow huge page.</summary>
    internal const int RegainCountMin = 128;

    /// <summary>After any later one, at most.</summary>
    internal const int RegainCountMax = 2048;

    private int _fastCount;
    private int _fastCountMin;
    private int _slabCount;
    private int _fastSlabCount;

    /// <summary>Whether new regions may have huge pages, and those there are may be touched.</summary>
    internal readonly bool AllowsHuge => _fastCount >= _fastCountMin;

    /// <summary>Whether who takes a slab should touch its small pages and count what that took.</summary>
    internal readonly bool WantsSlabs => _fastCountMin == 1 && _fastCount == 0 && _slabCount < SlabCountMax;

    /// <summary>From now on small pages are measured before there are huge ones.</summary>
    internal void Distrust() => _fastCountMin = Math.Max(_fastCountMin, 1);

    /// <summary>Counts the first touches of half a region.</summary>
    /// <param name="touchNs">What they took.</param>
    /// <param name="isHuge">Whether it was one huge page.</param>
    internal void CountHalf(long touchNs, bool isHuge)
    {
        if (!isHuge)
        {
            _fastCount = touchNs < SlowSmallNs ? Math.Min(_fastCount + 1, RegainCountMax) : 0;
        }
        else if (touchNs >= SlowHugeNs)
        {
            _fastCountMin = Math.Clamp(2 * _fastCountMin, RegainCountMin, RegainCountMax);
            _fastCount = 0;
        }
    }

    /// <summary>Counts the first touches of a slab's small pages.</summary>
    /// <param name="touchNs">What they took.</param>
    internal void CountSlab(long touchNs)
    {
        _slabCount++;
        _fastSlabCount = touchNs < SlowSlabNs ? _fastSlabCount + 1 : 0;
        if (_fastSlabCount == SlabCountMin)
            CountHalf(0, isHuge: false);
    }

    /// <summary>Touches half a region, giving way to others between small pages.</summary>
    /// <param name="half">Nobody else uses the first byte of any of its pages, which is zero.</param>
    /// <param name="isHuge">Whether it is one huge page.</param>
    /// <param name="work">The thread's.</param>
    /// <returns>What it took: nanoseconds of this thread's processor time; 0 where the system tells no
    /// such.</returns>
    internal static long OfHalf(byte* half, bool isHuge, LongWork work) =>
        OfPages(half, isHuge ? half + 1 : half + Region.HalfBytes, work);

    /// <summary>Touches the pages of a slab in which nothing is.</summary>
    /// <param name="slab">The caller's.</param>
    /// <param name="isHuge">Whether it is part of a huge page.</param>
    /// <returns>Nanoseconds, as above.</returns>
    internal static long OfSlab(Slab* slab, bool isHuge)
    {
        var start = (byte*)PageSource.RoundToPages((nuint)Slab.StartOf(slab));
        return OfPages(start, isHuge ? start + 1 : Slab.EndOf(slab), work: null);
    }

    private static long OfPages(byte* start, byte* end, LongWork? work)
    {
        long startNs = Now();
        for (byte* page = start; page < end; page += NativePages.PageSize)
        {
            NativePages.Touch(page);
            work?.Breathe();
        }
        return Now() - startNs;
    }

    private static long Now() => OperatingSystem.IsLinux() ? ThreadTime.NanosecondsOfThisThread : 0;
}
