using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load;

/// <summary>Keeps all other threads, the kernel's too, off some cores: each thread that may also run
/// elsewhere is moved away until disposal. Needs root. Threads bound to one of the cores stay; new threads
/// inherit the cores of their creator.</summary>
public sealed unsafe class ReservedCores : IDisposable
{
    private const int MaskWordCount = 16;
    private const int MaskSize = MaskWordCount * sizeof(ulong);
    private readonly List<(int Thread, ulong[] Mask)> _moved = [];

    /// <summary>Reserves cores.</summary>
    /// <param name="cores">The cores; at least one other core must be left.</param>
    /// <exception cref="LoadException">This system has no such calls, or does not let us.</exception>
    public ReservedCores(IReadOnlyList<int> cores)
        : this(cores, Threads)
    {
    }

    internal ReservedCores(IReadOnlyList<int> cores, Func<IEnumerable<string>> threads)
    {
        if (!OperatingSystem.IsLinux()) throw new LoadException("only Linux lets cores be reserved");
        try
        {
            // Twice, for threads that unmoved threads have started meanwhile.
            for (int round = 0; round < 2; round++)
                foreach (string thread in threads()) Move(thread, cores);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>How many threads were moved.</summary>
    public int MovedCount => _moved.Count;

    // SAFETY: the mask has as many words as the call is given.
    public void Dispose()
    {
        foreach ((int thread, ulong[] mask) in _moved)
        {
            fixed (ulong* words = mask)
                _ = LibC.sched_setaffinity(thread, MaskSize, words);
        }
        _moved.Clear();
    }

    private static IEnumerable<string> Threads()
    {
        foreach (string process in Directory.EnumerateDirectories("/proc"))
        {
            if (!char.IsAsciiDigit(Path.GetFileName(process)[0])) continue;
            string[] threads;
            try
            {
                threads = Directory.GetDirectories(Path.Combine(process, "task"));
            }
            catch (DirectoryNotFoundException)
            {
                continue; // It has ended.
            }
            foreach (string thread in threads) yield return Path.GetFileName(thread);
        }
    }

    // SAFETY: the masks have as many words as the calls are given.
    private void Move(string name, IReadOnlyList<int> cores)
    {
        int thread = int.Parse(name, CultureInfo.InvariantCulture);
        var allowed = new ulong[MaskWordCount];
        var kept = new ulong[MaskWordCount];
        fixed (ulong* words = allowed)
            if (LibC.sched_getaffinity(thread, MaskSize, words) < 0) return; // It has ended.
        allowed.CopyTo(kept, 0);
        foreach (int core in cores) kept[core / 64] &= ~(1UL << (core % 64));
        bool isBound = kept.AsSpan().IndexOfAnyExcept(0UL) < 0;
        if (isBound || kept.AsSpan().SequenceEqual(allowed)) return;
        fixed (ulong* words = kept)
            if (LibC.sched_setaffinity(thread, MaskSize, words) == 0)
                _moved.Add((thread, allowed));
    }
}
