namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>Runs of equal registers as bytes.</summary>
internal static class SparseRegisters
{
    internal const byte LongZeroRun = 0x40;
    internal const byte ValueRun = 0x80;

    /// <summary>The largest value that a run can have.</summary>
    internal const int ValueMax = 32;

    /// <summary>The most registers of a run that are not 0.</summary>
    internal const int ValueLengthMax = 4;

    private const int ShortZeroLengthMax = 64;

    /// <summary>Writes a run of zeroes; returns its bytes, 0 for no registers.</summary>
    internal static int WriteZeroes(Span<byte> output, int length)
    {
        if (length == 0) return 0;
        if (length <= ShortZeroLengthMax)
        {
            output[0] = (byte)(length - 1);
            return 1;
        }
        output[0] = (byte)(LongZeroRun | (length - 1) >> 8);
        output[1] = (byte)(length - 1);
        return 2;
    }

    /// <summary>The byte of a run that is not of zeroes.</summary>
    internal static byte ValueByte(int value, int length) =>
        (byte)(ValueRun | (value - 1) << 2 | (length - 1));

    /// <summary>Adds to a histogram of the values; false: the runs are corrupt.</summary>
    internal static bool CountInto(ReadOnlySpan<byte> bytes, Span<int> histogram)
    {
        var runs = new SparseRuns(bytes);
        while (runs.MoveNext()) histogram[runs.Value] += runs.Length;
        return runs.IsSound;
    }

    /// <summary>Raises registers of a byte each to the values of the runs; false: they are
    /// corrupt.</summary>
    internal static bool MergeInto(ReadOnlySpan<byte> bytes, Span<byte> registers)
    {
        var runs = new SparseRuns(bytes);
        while (runs.MoveNext())
        {
            if (runs.Value == 0) continue;
            foreach (ref byte register in registers.Slice(runs.First, runs.Length))
                register = Math.Max(register, (byte)runs.Value);
        }
        return runs.IsSound;
    }
}
