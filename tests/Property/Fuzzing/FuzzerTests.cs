using System;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Fuzzing;

/// <summary>The fuzzer finds what it is there for: a lock of six digits that chance alone would not open.
/// </summary>
public sealed class FuzzerTests
{
    private const int DigitCount = 6;
    private const int ProgramCount = 200_000;

    // Where the last digit of a program as long as may be was once the furthest that was reached, and nothing
    // led on from there.
    private const ulong SeedOfFullProgram = 125;

    [Fact]
    public void ALockOfSixDigitsIsOpenedAndTheKeyIsShort() => Seeded.Run(3, Open);

    [Fact]
    public void TheEndOfTheLongestProgramIsNoDeadEnd() => Open(SeedOfFullProgram);

    private static void Open(ulong seed)
    {
        var fuzzer = new Fuzzer(seed, programSizeMax: 60, OpenLock);
        InvalidOperationException failure =
            Assert.Throws<InvalidOperationException>(() => fuzzer.RunSome(ProgramCount));
        Assert.InRange(fuzzer.KeptCount, 2, DigitCount);
        string program = failure.Message.Split(' ', ':')[3];
        Assert.Equal(2 * DigitCount, program.Length);
        Assert.Equal("open", Assert.Throws<InvalidTimeZoneException>(
            () => Fuzzer.Replay(program, OpenLock)).Message);
    }

    private static void OpenLock(Draws draws)
    {
        int digit = 0;
        while (!draws.HasEnded && digit < DigitCount)
        {
            digit = draws.Below(60) == 9 * digit ? digit + 1 : 0;
            draws.Mark(digit);
        }

        if (digit == DigitCount)
            throw new InvalidTimeZoneException("open");
    }
}
