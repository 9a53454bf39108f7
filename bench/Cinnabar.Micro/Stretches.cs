using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Cinnabar.Micro;

/// <summary>Times an operation in stretches and prints their median.</summary>
internal sealed class Stretches(double missNs)
{
    private const int StretchCount = 1_000;

    internal double MissNs { get; } = missNs;

    internal bool IsPrinting { get; set; }

    internal void Measure(string name, int count, Action<int> operation)
    {
        var times = new List<double>();
        for (int done = 0; done + StretchCount <= count; done += StretchCount)
        {
            long start = Stopwatch.GetTimestamp();
            for (int index = done; index < done + StretchCount; index++) operation(index);
            times.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / StretchCount);
        }
        times.Sort();
        double median = times[times.Count / 2];
        if (IsPrinting) Console.WriteLine($"  {name,-28}{median,8:F0} ns {median / MissNs,6:F1} misses");
    }

    internal void Print(string name, double bytes)
    {
        if (IsPrinting) Console.WriteLine($"  {name,-28}{bytes,8:F1} bytes an element");
    }
}
