using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// Long runs of commands on one big key, pipelined, so that lookaheads, their notes and batches are at work:
/// on members in rising, falling and random order, of one command or of several that spoil each other's
/// notes. Every reply is compared, and at the end all that is stored.
/// </summary>
public sealed class BigKeyTests
{
    private const int Depth = 1000;
    private const double SecondsDefault = 0.5;

    // An element that is missing comes up, too.
    private const int NumberMax = BigKey.Count * 11 / 10;

    /// <summary>The types.</summary>
    public static TheoryData<string> Types() => [.. BigKey.Names];

    [Theory]
    [MemberData(nameof(Types))]
    public void RunsOnABigKeyReplyAsRedis(string type)
    {
        using Duel duel = Duel.Start(SecondsDefault, protocol: 2);
        bool isOld = duel.IsOracleOld;
        duel.Comparable = Contents.Comparable;
        duel.IsAllowed = (words, theirs, ours) => StreamDifferences.IsAllowed(
            isOld, words, Contents.Comparable(words, theirs), Contents.Comparable(words, ours));
        BigKey big = BigKey.Of(type);
        Fill(duel, big);
        do
        {
            duel.CallAll(Run(duel.Random, big));
        }
        while (duel.GoesOn);
        foreach (string probe in big.Probes)
        {
            foreach (string key in (string[])["big", "moved", "away"])
                duel.Call(big.Words(probe, key, 0));
        }
    }

    private static void Fill(Duel duel, BigKey big)
    {
        foreach (int[] numbers in Enumerable.Range(0, BigKey.Count).Chunk(Depth))
            duel.CallAll([.. numbers.Select(number => big.Words(big.Fill, "big", number))]);
        duel.Restart();
        if (big.Name == "stream")
            duel.Call("XGROUP", "CREATE", "big", "g", "0");
    }

    private static List<string[]> Run(Random random, BigKey big)
    {
        string command = big.Commands[random.Next(big.Commands.Length)];
        int spoilOneIn = random.Next(3) switch { 0 => int.MaxValue, 1 => 50, _ => 3 };
        int step = random.Next(7) switch { 0 or 1 => 1, 2 or 3 => -1, 4 => 97, 5 => 0, _ => random.Next() };
        int number = random.Next(NumberMax);
        bool isRandom = random.Next(3) == 0;
        List<string[]> run = [];
        while (run.Count < Depth)
        {
            string next = random.Next(spoilOneIn) == 0
                ? big.Commands[random.Next(big.Commands.Length)] : command;
            // Notes of a key are not those of another, nor of what has another name now.
            string key = spoilOneIn < Depth && random.Next(40) == 0 ? "moved" : "big";
            run.Add(big.Words(next, key, number));
            if (spoilOneIn < Depth && random.Next(100) == 0)
                run.AddRange([["RENAME", "big", "away"], ["RENAME", "away", "big"]]);
            number = isRandom ? random.Next(NumberMax) : (int)(((long)number + step) % NumberMax);
            number += number < 0 ? NumberMax : 0;
        }

        return run;
    }
}
