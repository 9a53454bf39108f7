using System;
using System.Diagnostics;
using System.Globalization;
using System.IO.Pipes;
using System.Runtime.CompilerServices;
using System.Threading;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Load;
using Cinnabar.Platform;

namespace Cinnabar.Micro;

/// <summary>The costs that docs/scale.md reckons with: a stripe's lock alone, on another core's cache line,
/// and contended; a line that moves between cores; a thread that is woken. Two threads on cores 0 and 1; each
/// figure is the least of many short rounds, so that other programs do less harm.</summary>
internal static class ScaleBenchmark
{
    private const int RoundCount = 200;
    private const int LockCount = 50_000;
    private const int PassCount = 500;
    private const int WakeCount = 100;

    /// <summary>Measures and prints them.</summary>
    public static void Run()
    {
        using var keyspace = new Keyspace.Keyspace(new KeyspaceOptions { Clock = new SystemClock() });
        StripeLock own = keyspace.Stripes[0].Lock;
        StripeLock shared = keyspace.Stripes[1].Lock;
        Print("stripe lock taken and released, own line", Least(() => Alone(own)));
        Print("the same by two threads, each time of a thread", Least(() => Together(shared)));
        Print("cache line from core to core", Least(Pass));
        (double ns, double cpuNs) = (double.MaxValue, double.MaxValue);
        for (int round = 0; round < RoundCount; round++)
        {
            (double roundNs, double roundCpuNs) = Wake();
            (ns, cpuNs) = (Math.Min(ns, roundNs), Math.Min(cpuNs, roundCpuNs));
        }
        Print("sleeping thread woken by a byte", ns);
        Print("processor time of that, both threads", cpuNs);
    }

    private static void Print(string name, double ns) => Console.WriteLine(
        string.Create(CultureInfo.InvariantCulture, $"  {name,-48}{ns,10:F1} ns"));

    private static double Least(Func<double> measure)
    {
        double least = double.MaxValue;
        for (int round = 0; round < RoundCount; round++) least = Math.Min(least, measure());
        return least;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static double Alone(StripeLock stripeLock)
    {
        long start = Stopwatch.GetTimestamp();
        for (int count = 0; count < LockCount; count++)
        {
            if (!stripeLock.TryEnter()) throw new InvalidOperationException("the lock is held");
            stripeLock.Exit();
        }
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / LockCount;
    }

    private static double Together(StripeLock stripeLock) => Both(() => Take(stripeLock), () =>
        Take(stripeLock)) / LockCount;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Take(StripeLock stripeLock)
    {
        for (int count = 0; count < LockCount; count++)
        {
            while (!stripeLock.TryEnterSpinning(int.MaxValue)) ;
            stripeLock.Exit();
        }
    }

    // Each waits until the other has written the next number.
    private static double Pass()
    {
        long[] cell = new long[32];
        return Both(() => Follow(cell, 0), () => Follow(cell, 1)) / (2 * PassCount);

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        static void Follow(long[] cell, int first)
        {
            for (int number = first; number < 2 * PassCount; number += 2)
            {
                while (Volatile.Read(ref cell[16]) != number) ;
                Volatile.Write(ref cell[16], number + 1);
            }
        }
    }

    private static (double Ns, double CpuNs) Wake()
    {
        using var there = new AnonymousPipeServerStream(PipeDirection.Out);
        using var thereEnd = new AnonymousPipeClientStream(PipeDirection.In, there.ClientSafePipeHandle);
        using var back = new AnonymousPipeServerStream(PipeDirection.Out);
        using var backEnd = new AnonymousPipeClientStream(PipeDirection.In, back.ClientSafePipeHandle);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        double ns = Both(() =>
        {
            for (int count = 0; count < WakeCount; count++)
            {
                there.WriteByte(1);
                backEnd.ReadByte();
            }
        }, () =>
        {
            for (int count = 0; count < WakeCount; count++)
            {
                thereEnd.ReadByte();
                back.WriteByte(1);
            }
        });
        cpu = Environment.CpuUsage.TotalTime - cpu;
        return (ns / (2 * WakeCount), cpu.TotalNanoseconds / (2 * WakeCount));
    }

    private static double Both(Action first, Action second)
    {
        var thread = new Thread(() =>
        {
            if (OperatingSystem.IsLinux()) ProcessorPin.ThisThread(1);
            second();
        });
        if (OperatingSystem.IsLinux()) ProcessorPin.ThisThread(0);
        long start = Stopwatch.GetTimestamp();
        thread.Start();
        first();
        thread.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds;
    }
}
