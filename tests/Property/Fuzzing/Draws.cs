using System;
using System.Collections.Generic;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Property.Fuzzing;

/// <summary>
/// What a random test chooses by: numbers from a seed, without end, or the bytes of a program that a
/// <see cref="Fuzzer"/> made up, which ends.
/// </summary>
internal sealed class Draws
{
    private readonly byte[]? _program;
    private readonly HashSet<ulong> _marks = [];
    private RandomSource _random;
    private int _at;

    /// <summary>Choices from a seed.</summary>
    public Draws(ulong seed) => _random = new RandomSource(seed);

    /// <summary>Choices from a program; behind its end the first of everything is chosen.</summary>
    public Draws(byte[] program) => _program = program;

    /// <summary>Whether a program has come to its end.</summary>
    public bool HasEnded => _program != null && _at >= _program.Length;

    /// <summary>How much of a program was read when the last mark was made that was new in it.</summary>
    public int LastMarkAt { get; private set; }

    /// <summary>What the test said to have come to.</summary>
    public IReadOnlySet<ulong> Marks => _marks;

    /// <summary>A number from 0 to below a bound.</summary>
    public int Below(int bound)
    {
        if (_program == null)
            return (int)_random.NextBelow((ulong)bound);
        return (int)(Take(bound <= 1 << 8 ? 1 : bound <= 1 << 16 ? 2 : 4) % (ulong)bound);
    }

    /// <summary>Any 64 bits.</summary>
    public ulong Next() => _program == null ? _random.Next() : Take(sizeof(ulong));

    /// <summary>A number from 0 to below 1.</summary>
    public double NextDouble() => (Next() >> 11) * (1.0 / (1UL << 53));

    /// <summary>Notes in what state the test's subject is, coarsely: a program that brings it into a new one
    /// is worth keeping.</summary>
    public void Mark(params ReadOnlySpan<long> state)
    {
        ulong mark = 17;
        foreach (long word in state)
            mark = (mark ^ (ulong)word) * 0x9E37_79B9_7F4A_7C15;
        if (_marks.Add(mark))
            LastMarkAt = _at;
    }

    private ulong Take(int count)
    {
        ulong value = 0;
        for (; count > 0; count--)
            value = value << 8 | (_at < _program!.Length ? _program[_at++] : (byte)0);
        return value;
    }
}
