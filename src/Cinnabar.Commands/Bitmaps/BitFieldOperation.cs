namespace Cinnabar.Commands.Bitmaps;

/// <summary>One subcommand of BITFIELD with its arguments.</summary>
internal readonly struct BitFieldOperation
{
    /// <summary>What to do.</summary>
    public BitFieldAction Action { get; init; }

    /// <summary>The field's type.</summary>
    public BitFieldType Type { get; init; }

    /// <summary>The field's first bit.</summary>
    public long Offset { get; init; }

    /// <summary>The value to set or add.</summary>
    public long Operand { get; init; }

    /// <summary>What to do with a value that does not fit.</summary>
    public OverflowMode Overflow { get; init; }

    /// <summary>The field's last bit.</summary>
    public long LastBit => Offset + Type.BitCount - 1;

    /// <summary>The value that the field shall have.</summary>
    /// <returns>False where it does not fit and the operation must fail.</returns>
    public bool TryEvaluate(long oldValue, out long newValue)
    {
        Debug.Assert(Action != BitFieldAction.Get, "what is read has no new value");
        Int128 exact = Action == BitFieldAction.IncrementBy ? (Int128)oldValue + Operand
            : Type.IsSigned ? Operand : (Int128)(ulong)Operand;
        if (exact >= Type.Min && exact <= Type.Max)
        {
            newValue = (long)exact;
            return true;
        }

        newValue = Overflow switch
        {
            OverflowMode.Saturate => IsAbove(exact) ? Type.Max : Type.Min,
            _ => Type.Wrap(unchecked((long)exact)),
        };
        Debug.Assert(newValue >= Type.Min && newValue <= Type.Max, "the field does not hold its value");
        return Overflow != OverflowMode.Fail;
    }

    /// <summary>
    /// Whether a value that does not fit saturates upwards. Redis measures the distance of a value to be set
    /// from the type's maximum in 63 bits, so the very lowest count as too high.
    /// </summary>
    private bool IsAbove(Int128 exact)
    {
        bool isSetSigned = Action == BitFieldAction.Set && Type.IsSigned;
        return exact > Type.Max || (isSetSigned && Type.Max - exact > long.MaxValue);
    }
}
