// Raises registers of a value in place. A dense one keeps its length. In a sparse one the run of the register
// is replaced by up to three (what is before it, itself, what is behind it), and then neighbours of equal
// value are joined:
//
//      before     [ 100 zeroes             ]  [ 2 of value 5 ]
//      97 := 5    [ 97 zeroes ][ 1 of 5 ][ 2 zeroes ][ 2 of 5 ]
//      98 := 5    [ 97 zeroes ][ 2 of 5 ][ 1 zero   ][ 2 of 5 ]
//
// Joining looks at five runs, from the one before on, and takes pairs from left to right, as Redis does: a
// different choice would count the same but not dump the same.
//
// A merge raises registers in ascending order. So that each need not walk from the beginning, the editor
// remembers where the last walk ended; only when the register is in the very run it would begin with, whose
// neighbour on the left is not known, does it walk from the beginning.

namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>Raises registers of a HyperLogLog, within memory that is the caller's.</summary>
/// <param name="memory">A value with a header, and room for it to grow.</param>
/// <param name="length">Bytes of the value.</param>
/// <param name="sparseSizeMax">The most bytes of a sparse value: hll-sparse-max-bytes.</param>
public ref struct HyperLogLogEditor(Span<byte> memory, int length, int sparseSizeMax)
{
    /// <summary>Bytes that a sparse value can grow by when one register is raised.</summary>
    public const int GrowthMax = 3;

    private const int JoinedRunsMax = 5;
    private readonly Span<byte> _memory = memory;
    private readonly int _sparseSizeMax = sparseSizeMax;
    private int _startOffset;
    private int _startRegister;

    /// <summary>Bytes of the value as it is now.</summary>
    public int Length { get; private set; } = length;

    /// <summary>The value as it is now.</summary>
    public readonly Span<byte> Value => _memory[..Length];

    /// <summary>Adds an element.</summary>
    public RegisterUpdate Add(scoped ReadOnlySpan<byte> element)
    {
        var update = new HyperLogLogElement(element);
        return Raise(update.Register, update.Value);
    }

    /// <summary>Raises a register to a value, if it is below.</summary>
    /// <param name="register">0 to <see cref="HyperLogLog.RegisterCount"/> - 1.</param>
    /// <param name="value">1 to 63.</param>
    public RegisterUpdate Raise(int register, int value)
    {
        if (!HyperLogLog.IsDense(_memory)) return RaiseSparse(register, value);
        Span<byte> packed = _memory[HyperLogLog.HeaderSize..Length];
        if (DenseRegisters.Get(packed, register) >= value) return RegisterUpdate.Unchanged;
        DenseRegisters.Set(packed, register, value);
        HyperLogLog.ForgetCount(_memory);
        return RegisterUpdate.Changed;
    }

    private RegisterUpdate RaiseSparse(int register, int value)
    {
        if (value > SparseRegisters.ValueMax) return RegisterUpdate.NeedsDense;
        SparseRuns run = Find(register, out int beforeOffset, out int beforeRegister);
        if (register < run.First || register >= run.First + run.Length) return RegisterUpdate.Corrupt;
        if (run.Value >= value)
        {
            (_startOffset, _startRegister) = (beforeOffset, beforeRegister);
            return RegisterUpdate.Unchanged;
        }

        Span<byte> replacement = stackalloc byte[2 * 2 + 1];
        int size = Split(run, register, value, replacement);
        int growth = size - run.Size;
        if (growth > 0 && Length + growth > _sparseSizeMax) return RegisterUpdate.NeedsDense;
        if (Length + growth > _memory.Length) return RegisterUpdate.NeedsRoom;

        Span<byte> runs = _memory[HyperLogLog.HeaderSize..];
        int end = Length - HyperLogLog.HeaderSize;
        runs[(run.Offset + run.Size)..end].CopyTo(runs[(run.Offset + size)..]);
        replacement[..size].CopyTo(runs[run.Offset..]);
        Length += growth;
        Join(beforeOffset);
        _startOffset = beforeOffset;
        _startRegister = beforeRegister;
        HyperLogLog.ForgetCount(_memory);
        return RegisterUpdate.Changed;
    }

    // The run of a register, and where the run before it is (the run itself if it is the first).
    private readonly SparseRuns Find(int register, out int beforeOffset, out int beforeRegister)
    {
        ReadOnlySpan<byte> bytes = _memory[HyperLogLog.HeaderSize..Length];
        bool isBehind = register >= _startRegister;
        SparseRuns runs = SparseRuns.From(bytes, isBehind ? _startOffset : 0, isBehind ? _startRegister : 0);
        (beforeOffset, beforeRegister) = (runs.Offset, runs.First);
        runs.PassBefore(register, ref beforeOffset, ref beforeRegister);
        while (runs.MoveNext() && runs.First + runs.Length <= register)
            (beforeOffset, beforeRegister) = (runs.Offset, runs.First);
        if (runs.Offset != _startOffset || _startOffset == 0 || !isBehind) return runs;

        // It is the first one of this walk, but not of all.
        runs = new SparseRuns(bytes);
        (beforeOffset, beforeRegister) = (0, 0);
        runs.PassBefore(register, ref beforeOffset, ref beforeRegister);
        while (runs.MoveNext() && runs.First + runs.Length <= register)
            (beforeOffset, beforeRegister) = (runs.Offset, runs.First);
        return runs;
    }

    private static int Split(SparseRuns run, int register, int value, Span<byte> output)
    {
        int before = register - run.First;
        int behind = run.First + run.Length - 1 - register;
        int size = WriteRun(output, run.Value, before);
        output[size++] = SparseRegisters.ValueByte(value, 1);
        return size + WriteRun(output[size..], run.Value, behind);
    }

    private static int WriteRun(Span<byte> output, int value, int length)
    {
        if (value == 0 || length == 0) return SparseRegisters.WriteZeroes(output, length);
        output[0] = SparseRegisters.ValueByte(value, length);
        return 1;
    }

    // Joins runs of equal value that are short enough, looking at five from an offset on.
    private void Join(int offset)
    {
        Span<byte> runs = _memory[HyperLogLog.HeaderSize..Length];
        for (int left = JoinedRunsMax; left > 0 && offset < runs.Length; left--)
        {
            byte head = runs[offset];
            if (head < SparseRegisters.ValueRun)
            {
                offset += head < SparseRegisters.LongZeroRun ? 1 : 2;
                continue;
            }
            // Equal in all bits but those of the length: both not of zeroes, and of one value.
            bool isSame = offset + 1 < runs.Length && (head ^ runs[offset + 1]) <= 3;
            int length = isSame ? (head & 3) + (runs[offset + 1] & 3) + 2 : 0;
            if (!isSame || length > SparseRegisters.ValueLengthMax)
            {
                offset++;
                continue;
            }
            runs[offset] = (byte)(head & ~3 | (length - 1));
            runs[(offset + 2)..].CopyTo(runs[(offset + 1)..]);
            runs = runs[..^1];
        }
        Length = HyperLogLog.HeaderSize + runs.Length;
    }
}
