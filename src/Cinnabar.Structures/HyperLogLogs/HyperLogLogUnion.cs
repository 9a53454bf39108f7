namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>The registers of several HyperLogLogs together, a byte each, in memory that is the
/// caller's.</summary>
public readonly ref struct HyperLogLogUnion
{
    private readonly Span<byte> _registers;

    /// <summary>Begins with all registers 0.</summary>
    /// <param name="registers"><see cref="HyperLogLog.RegisterCount"/> bytes.</param>
    public HyperLogLogUnion(Span<byte> registers)
    {
        _registers = registers[..HyperLogLog.RegisterCount];
        _registers.Clear();
    }

    /// <summary>The registers.</summary>
    public ReadOnlySpan<byte> Registers => _registers;

    /// <summary>Adds a value with a header.</summary>
    /// <returns>False: it is corrupt.</returns>
    public bool TryAdd(ReadOnlySpan<byte> value)
    {
        ReadOnlySpan<byte> bytes = value[HyperLogLog.HeaderSize..];
        if (!HyperLogLog.IsDense(value)) return SparseRegisters.MergeInto(bytes, _registers);
        DenseRegisters.MergeInto(bytes, _registers);
        return true;
    }

    /// <summary>Estimates how many different elements were added to one of the values at least.</summary>
    public ulong Count()
    {
        Span<int> histogram = stackalloc int[RegisterHistogram.Length];
        histogram.Clear();
        RegisterHistogram.CountInto(_registers, histogram);
        return HyperLogLogEstimate.FromHistogram(histogram);
    }

    /// <summary>Writes the registers as a dense value whose count is not known.</summary>
    /// <param name="value">At least <see cref="HyperLogLog.DenseSize"/> bytes.</param>
    public void WriteDense(Span<byte> value)
    {
        HyperLogLog.WriteDenseHeader(value);
        StoreDense(value);
    }

    /// <summary>Makes these the registers of a dense value, whose count then is not known.</summary>
    /// <param name="value">With a header.</param>
    public void StoreDense(Span<byte> value)
    {
        DenseRegisters.Pack(_registers, value[HyperLogLog.HeaderSize..HyperLogLog.DenseSize]);
        HyperLogLog.ForgetCount(value);
    }

    /// <summary>
    /// Raises the registers of a value to these; what it says is how far it came (Changed or Unchanged: all
    /// are done).
    /// </summary>
    /// <param name="editor">Of the value.</param>
    /// <param name="register">The first register to be raised; afterwards the one that could not be.</param>
    public RegisterUpdate RaiseInto(ref HyperLogLogEditor editor, ref int register)
    {
        var outcome = RegisterUpdate.Unchanged;
        for (; register < _registers.Length; register++)
        {
            int zeroes = _registers[register..].IndexOfAnyExcept((byte)0);
            if (zeroes < 0) break;
            register += zeroes;
            RegisterUpdate update = editor.Raise(register, _registers[register]);
            if (update > RegisterUpdate.Changed) return update;
            if (update == RegisterUpdate.Changed) outcome = update;
        }
        return outcome;
    }
}
