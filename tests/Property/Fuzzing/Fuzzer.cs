// A fuzz target is a random test that takes its choices from Draws: the same steps against the same model as
// under a seed, but chosen by the bytes of a program. The fuzzer makes programs up from those that it has, by
// what fuzzers do (bytes changed, pieces repeated, left out, put together from two), and keeps each that
// brings the test's subject into a state that none before did (Draws.Mark). Changes are made most of all
// where the state was reached: what is done next leads on from there. So it gets where steps drawn evenly
// come once in a thousand years: a tree of a certain height while memory ends, a page that holds one element,
// again and again.
//
// A failing program is first made shorter, then reported as a text that Replay accepts.
//
// Why not a fuzzer that counts the branches taken: it needs the code rewritten and a process for each run.
// Marks are a line in the test, and say what we think matters.
// Source: the loop is AFL's; programs of bytes for a generator of values are those of the property tests of
// Hypothesis.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;

namespace Cinnabar.Tests.Property.Fuzzing;

/// <summary>Looks for a program that makes a test fail.</summary>
internal sealed class Fuzzer(ulong seed, int programSizeMax, Action<Draws> target)
{
    // Of all that call Run, each with each of its theory's data.
    private const int TargetCount = 24;
    private const int FreshOneIn = 10;
    private const int ShorteningCountMax = 2_000;
    private const int NearBytes = 8;
    private const int PieceSizeMax = 64;
    private const int SmallPieceSize = 8;

    private readonly List<(byte[] Program, int LastMarkAt)> _kept = [];
    private readonly HashSet<ulong> _marks = [];
    private RandomSource _random = new(seed);

    /// <summary>Programs that led to something new.</summary>
    public int KeptCount => _kept.Count;

    /// <summary>Fuzzes a target for some programs, or for its part of CINNABAR_TEST_SECONDS, which is
    /// what all tests of the project may take.</summary>
    /// <param name="programCount">How many programs.</param>
    /// <param name="programSizeMax">Bytes of the longest.</param>
    /// <param name="target">Ends soon after <see cref="Draws.HasEnded"/>.</param>
    public static void Run(int programCount, int programSizeMax, Action<Draws> target) =>
        Seeded.Run(1, seed =>
        {
            string? given = Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS");
            var fuzzer = new Fuzzer(seed, programSizeMax, target);
            if (double.TryParse(given, CultureInfo.InvariantCulture, out double seconds))
                fuzzer.RunFor(seconds / TargetCount);
            else
                fuzzer.RunSome(programCount);
        });

    /// <summary>Runs the program that a failure reported.</summary>
    public static void Replay(string program, Action<Draws> target) =>
        target(new Draws(Convert.FromHexString(program)));

    /// <summary>Tries some programs.</summary>
    public void RunSome(int programCount)
    {
        for (; programCount > 0; programCount--)
            TryOne();
    }

    private void RunFor(double seconds)
    {
        var time = Stopwatch.StartNew();
        while (time.Elapsed.TotalSeconds < seconds)
            TryOne();
    }

    private void TryOne()
    {
        byte[] program = _kept.Count == 0 || Below(FreshOneIn) == 0 ? Fresh() : Mutated();
        var draws = new Draws(program);
        if (Failure(draws) is { } failure)
        {
            program = Shortened(program, failure);
            string text = Convert.ToHexString(program);
            throw new InvalidOperationException($"Replay the program {text}: {failure.Message}", failure);
        }

        int before = _marks.Count;
        _marks.UnionWith(draws.Marks);
        if (_marks.Count > before)
            _kept.Add((program, Math.Min(draws.LastMarkAt, program.Length)));
    }

    private Exception? Failure(Draws draws)
    {
        try
        {
            target(draws);
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    // Leaves out pieces, ever smaller ones, as long as it fails in the same way; and again, since what was
    // needed while others were there may not be needed without them.
    private byte[] Shortened(byte[] program, Exception failure)
    {
        int left = ShorteningCountMax;
        int length;
        do
        {
            length = program.Length;
            for (int size = length / 2; size > 0; size = size > SmallPieceSize ? size / 2 : size - 1)
                program = Without(program, size, failure, ref left);
        }
        while (program.Length < length && left > 0);
        return program;
    }

    private byte[] Without(byte[] program, int size, Exception failure, ref int left)
    {
        for (int at = 0; at + size <= program.Length && left > 0; left--)
        {
            byte[] shorter = [.. program[..at], .. program[(at + size)..]];
            if (Failure(new Draws(shorter))?.GetType() == failure.GetType())
                program = shorter;
            else
                at += size;
        }

        return program;
    }

    private byte[] Fresh() => RandomBytes(1 + Below(programSizeMax));

    private byte[] RandomBytes(int count)
    {
        byte[] bytes = new byte[count];
        foreach (ref byte one in bytes.AsSpan())
            one = (byte)_random.Next();
        return bytes;
    }

    private byte[] Mutated()
    {
        // Half of the time the newest: what it leads to is least known.
        int index = Below(2) == 0 ? _kept.Count - 1 : Below(_kept.Count);
        (byte[] program, int markAt) = _kept[index];
        for (int left = 1 + Below(3); left > 0; left--)
        {
            int at = Below(program.Length);
            // Nothing comes behind the mark yet.
            if (Below(2) == 0 && markAt == program.Length)
                program = [.. program, .. RandomBytes(1 + Below(NearBytes))];
            if (Below(2) == 0 && markAt < program.Length)
                at = markAt + Below(Math.Min(NearBytes, program.Length - markAt));
            program = Changed(program, at);
        }

        // What was reached at the end of the longest program leads on only where its beginning goes.
        if (program.Length <= programSizeMax)
            return program;
        return Below(2) == 0 ? program[..programSizeMax] : program[^programSizeMax..];
    }

    private byte[] Changed(byte[] program, int at)
    {
        int size = 1 + Below(Math.Min(program.Length - at, PieceSizeMax));
        ReadOnlySpan<byte> piece = program.AsSpan(at, size);
        switch (Below(8))
        {
            case 0:
                return size == program.Length ? program : [.. program[..at], .. program[(at + size)..]];
            case 1:
                // A piece again and again: what grows a structure, or takes it down.
                byte[] repeated = new byte[size * (1 + Below(16))];
                for (int index = 0; index < repeated.Length; index++)
                    repeated[index] = piece[index % size];
                return [.. program[..at], .. repeated, .. program[at..]];
            case 2:
                byte[] other = _kept[Below(_kept.Count)].Program;
                return [.. program[..at], .. other[Below(other.Length)..]];
            case 3:
                return [.. program[..at], (byte)_random.Next(), .. program[at..]];
            case 4:
                int to = Below(program.Length + 1);
                return [.. program[..to], .. piece, .. program[to..]];
            default:
                byte[] changed = [.. program];
                changed[at] = Below(4) == 0 ? (byte)Below(3) : (byte)_random.Next();
                return changed;
        }
    }

    private int Below(int bound) => (int)_random.NextBelow((ulong)bound);
}
