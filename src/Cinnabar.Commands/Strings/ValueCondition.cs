namespace Cinnabar.Commands.Strings;

/// <summary>The condition of a SET, MSETEX or DELEX: NX, XX, IFEQ, IFNE, IFDEQ or IFDNE.</summary>
internal struct ValueCondition
{
    /// <summary>What is demanded.</summary>
    public ConditionKind Kind { get; private set; }

    /// <summary>The argument with the bytes or the digest to compare with; 0 where there is none.</summary>
    public int ArgumentIndex { get; private set; }

    /// <summary>Whether the present value matters, not only whether there is one.</summary>
    public readonly bool ComparesValue => Kind >= ConditionKind.Equal;

    /// <summary>Reads NX or XX; false where it is neither or another condition was read before.</summary>
    public bool TryReadExistence(Execution execution, int index)
    {
        ConditionKind kind = execution.Is(index, "nx"u8) ? ConditionKind.Missing
            : execution.Is(index, "xx"u8) ? ConditionKind.Exists : ConditionKind.None;
        if (kind == ConditionKind.None || (Kind != ConditionKind.None && Kind != kind))
            return false;
        Kind = kind;
        return true;
    }

    /// <summary>
    /// Reads IFEQ, IFNE, IFDEQ or IFDNE and moves on to the argument behind it; false where it is none of
    /// these, nothing is behind it, or another condition was read before.
    /// </summary>
    public bool TryReadComparison(Execution execution, ref int index)
    {
        ConditionKind kind = KindOf(execution.Argument(index));
        if (kind == ConditionKind.None || index + 1 >= execution.ArgumentCount
            || (Kind != ConditionKind.None && Kind != kind))
            return false;
        Kind = kind;
        ArgumentIndex = ++index;
        return true;
    }

    /// <summary>The comparison that a word names.</summary>
    public static ConditionKind KindOf(ReadOnlySpan<byte> word)
    {
        if (Ascii.EqualsIgnoreCase(word, "ifeq"u8))
            return ConditionKind.Equal;
        if (Ascii.EqualsIgnoreCase(word, "ifne"u8))
            return ConditionKind.NotEqual;
        if (Ascii.EqualsIgnoreCase(word, "ifdeq"u8))
            return ConditionKind.DigestEqual;
        return Ascii.EqualsIgnoreCase(word, "ifdne"u8) ? ConditionKind.DigestNotEqual : ConditionKind.None;
    }

    /// <summary>
    /// Decides the condition. Where it compares values, the entry must be missing or a string; a digest that
    /// is none is replied to, but only if there is a value to compare it with.
    /// </summary>
    /// <returns>False where an error was replied.</returns>
    public readonly bool TryDecide(Execution execution, EntryView entry, out bool isMet)
    {
        isMet = Kind switch
        {
            ConditionKind.None => true,
            ConditionKind.Exists => !entry.IsMissing,
            ConditionKind.Equal or ConditionKind.DigestEqual => false,
            _ => entry.IsMissing,
        };
        if (entry.IsMissing || !ComparesValue)
            return true;
        Debug.Assert(entry.Type == KeyType.String && ArgumentIndex > 0, "there is nothing to compare");
        ReadOnlySpan<byte> expected = execution.Argument(ArgumentIndex);
        switch (Kind)
        {
            case ConditionKind.Equal:
                isMet = entry.String.SequenceEqual(expected);
                return true;
            case ConditionKind.NotEqual:
                isMet = !entry.String.SequenceEqual(expected);
                return true;
            default:
                if (expected.Length != StringDigest.HexLength)
                {
                    execution.Reply.Error("ERR must be exactly 16 hexadecimal characters"u8);
                    return false;
                }

                isMet = StringDigest.Matches(entry, expected) == (Kind == ConditionKind.DigestEqual);
                return true;
        }
    }
}
