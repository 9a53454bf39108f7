namespace Cinnabar.Commands.Bitmaps;

/// <summary>
/// Reads the subcommands of a BITFIELD one by one. The command reads them twice, to check and to execute,
/// rather than keep them: they need no memory that way.
/// </summary>
internal struct BitFieldReader
{
    private const int FirstIndex = 2;

    private readonly Execution _execution;
    private int _index;
    private OverflowMode _overflow;

    /// <summary>Starts before the first subcommand.</summary>
    public BitFieldReader(Execution execution)
    {
        _execution = execution;
        _index = FirstIndex;
    }

    /// <summary>Whether an error was replied.</summary>
    public bool IsFailed { get; private set; }

    /// <summary>Reads the next subcommand that acts on a field; false at the end and after an
    /// error.</summary>
    public bool TryNext(out BitFieldOperation operation)
    {
        operation = default;
        while (_index < _execution.ArgumentCount)
        {
            if (Remaining >= 1 && _execution.Is(_index, "overflow"u8))
            {
                if (!TryReadOverflow())
                    return false;
                continue;
            }

            return TryReadAction(out operation);
        }

        return false;
    }

    private readonly int Remaining => _execution.ArgumentCount - _index - 1;

    private bool TryReadOverflow()
    {
        if (_execution.Is(_index + 1, "wrap"u8))
            _overflow = OverflowMode.Wrap;
        else if (_execution.Is(_index + 1, "sat"u8))
            _overflow = OverflowMode.Saturate;
        else if (_execution.Is(_index + 1, "fail"u8))
            _overflow = OverflowMode.Fail;
        else
            return Fail("ERR Invalid OVERFLOW type specified"u8);
        _index += 2;
        return true;
    }

    private bool TryReadAction(out BitFieldOperation operation)
    {
        operation = default;
        BitFieldAction action;
        if (Remaining >= 2 && _execution.Is(_index, "get"u8))
            action = BitFieldAction.Get;
        else if (Remaining >= 3 && _execution.Is(_index, "set"u8))
            action = BitFieldAction.Set;
        else if (Remaining >= 3 && _execution.Is(_index, "incrby"u8))
            action = BitFieldAction.IncrementBy;
        else
            return Fail(Errors.Syntax);

        if (!BitFieldType.TryParse(_execution.Argument(_index + 1), out BitFieldType type))
        {
            return Fail("ERR Invalid bitfield type. Use something like i16 u8. "u8
                + "Note that u64 is not supported but i64 is."u8);
        }

        long operand = 0;
        if (!BitOffset.TryReadField(_execution, _index + 2, type.BitCount, out long offset)
            || (action != BitFieldAction.Get && !_execution.TryInteger(_index + 3, out operand)))
        {
            IsFailed = true;
            return false;
        }

        _index += action == BitFieldAction.Get ? 3 : 4;
        operation = new BitFieldOperation
        {
            Action = action,
            Type = type,
            Offset = offset,
            Operand = operand,
            Overflow = _overflow,
        };
        return true;
    }

    private bool Fail(ReadOnlySpan<byte> error)
    {
        IsFailed = true;
        _execution.Reply.Error(error);
        return false;
    }
}
