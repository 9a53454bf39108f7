using System.Buffers;
using System.Buffers.Binary;
using Cinnabar.Platform;
using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Commands.HyperLogLogs;

/// <summary>PFSELFTEST: that registers keep what is written to them and that estimates are near the
/// truth.</summary>
public static class HyperLogLogSelfTest
{
    private const int ElementCount = 10_000;
    private const int SparseSizeMax = 3000;
    private const int RegisterValueMax = 63;
    private const ulong Seed = 1;

    // The standard error of 16,384 registers is 1.04 / 128; six of them are as good as never exceeded.
    private const double ErrorMax = 6 * 1.04 / 128;

    /// <summary>PFSELFTEST.</summary>
    public static void PfSelfTest(Execution execution)
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(HyperLogLog.DenseSize + HyperLogLog.RegisterCount);
        Span<byte> dense = memory.AsSpan(0, HyperLogLog.DenseSize);
        Span<byte> others = memory.AsSpan(HyperLogLog.DenseSize, HyperLogLog.RegisterCount);
        if (!KeepsRegisters(dense, others))
            execution.Reply.Error("TESTFAILED A register lost its value"u8);
        else if (!EstimatesWell(dense, others))
            execution.Reply.Error("TESTFAILED Too big error"u8);
        else
            execution.Reply.Ok();
        ArrayPool<byte>.Shared.Return(memory);
    }

    private static bool KeepsRegisters(Span<byte> dense, Span<byte> registers)
    {
        new HyperLogLogUnion(registers).WriteDense(dense);
        var editor = new HyperLogLogEditor(dense, dense.Length, SparseSizeMax);
        var random = new RandomSource(Seed);
        for (int register = 0; register < HyperLogLog.RegisterCount; register++)
        {
            int raised = (int)random.NextBelow(RegisterValueMax) + 1;
            if (editor.Raise(register, raised) != RegisterUpdate.Changed)
                return false;
        }

        var union = new HyperLogLogUnion(registers);
        union.TryAdd(dense);
        random = new RandomSource(Seed);
        foreach (byte register in union.Registers)
        {
            if (register != (int)random.NextBelow(RegisterValueMax) + 1)
                return false;
        }

        return true;
    }

    // The same elements go to a dense value and, as long as that can be, to a sparse one: both must estimate
    // the same, and near the truth.
    private static bool EstimatesWell(Span<byte> dense, Span<byte> sparse)
    {
        new HyperLogLogUnion(sparse).WriteDense(dense);
        HyperLogLog.WriteEmpty(sparse);
        var denseEditor = new HyperLogLogEditor(dense, dense.Length, SparseSizeMax);
        var sparseEditor = new HyperLogLogEditor(sparse, HyperLogLog.EmptySize, SparseSizeMax);
        bool isSparse = true;
        int checkedNext = 1;
        Span<byte> element = stackalloc byte[sizeof(int)];
        for (int number = 1; number <= ElementCount; number++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(element, number);
            denseEditor.Add(element);
            isSparse = isSparse && sparseEditor.Add(element) <= RegisterUpdate.Changed;
            if (number != checkedNext)
                continue;
            checkedNext *= 10;
            if (!HyperLogLog.TryCount(dense, out ulong count) || !IsNear(count, number))
                return false;
            if (isSparse && (!HyperLogLog.TryCount(sparseEditor.Value, out ulong same) || same != count))
                return false;
        }

        return true;
    }

    private static bool IsNear(ulong estimate, int truth) =>
        Math.Abs((long)estimate - truth) <= Math.Ceiling(ErrorMax * truth);
}
