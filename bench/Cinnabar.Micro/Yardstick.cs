using System;
using System.Diagnostics;

namespace Cinnabar.Micro;

/// <summary>The cost of one access to uncached memory, on this machine at this moment.</summary>
internal static class Yardstick
{
    private const int CellCount = 256 << 20 >> 2;
    private const int StepCount = 300_000;

    internal static double MissNanoseconds()
    {
        // Each cell names the next, in an order that no prefetcher predicts.
        int[] next = new int[CellCount];
        for (int cell = 0; cell < CellCount; cell++)
        {
            next[cell] = (int)((cell * 1_103_515_245L + 12_345) & (CellCount - 1));
        }
        int at = 0;
        long start = Stopwatch.GetTimestamp();
        for (int step = 0; step < StepCount; step++) at = next[at];
        double elapsed = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        return at < 0 ? throw new InvalidOperationException() : elapsed / StepCount;
    }
}
