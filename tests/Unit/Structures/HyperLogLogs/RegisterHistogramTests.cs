using System;
using Cinnabar.Structures.HyperLogLogs;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.HyperLogLogs;

/// <summary>How often each value occurs among registers, by several ways.</summary>
public sealed class RegisterHistogramTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(5)]
    [InlineData(60)]
    [InlineData(1000)]
    [InlineData(16_384)]
    public void RegistersAreCountedHoweverManyAreZero(int setCount)
    {
        var random = new Random(setCount);
        var registers = new byte[HyperLogLog.RegisterCount];
        for (int round = 0; round < 20; round++)
        {
            Array.Clear(registers);
            // Anywhere, then in one half alone, so that what comes first does not tell what follows.
            int from = round % 3 == 1 ? registers.Length / 2 : 0;
            int to = round % 3 == 2 ? registers.Length / 2 : registers.Length;
            for (int set = 0; set < setCount; set++)
                registers[random.Next(from, to)] = (byte)random.Next(1, 64);
            if (round == 7)
                registers[^1] = 63;
            var expected = new int[RegisterHistogram.Length];
            foreach (byte register in registers)
                expected[register]++;
            var histogram = new int[RegisterHistogram.Length];
            RegisterHistogram.CountInto(registers, histogram);
            Assert.Equal(expected, histogram);
        }
    }
}
