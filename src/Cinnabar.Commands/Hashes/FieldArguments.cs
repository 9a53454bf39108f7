namespace Cinnabar.Commands.Hashes;

/// <summary>What names the fields of many commands: FIELDS numfields field [field ...].</summary>
internal readonly struct FieldArguments
{
    private FieldArguments(int first, int count)
    {
        Debug.Assert(first > 0 && count > 0, "a command names a field");
        First = first;
        Count = count;
    }

    /// <summary>The argument that is the first field.</summary>
    public int First { get; }

    /// <summary>How many fields follow.</summary>
    public int Count { get; }

    /// <summary>The argument behind the last field.</summary>
    public int End => First + Count;

    /// <summary>Reads them from where FIELDS should stand; replies the error where they make no
    /// sense.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">Where FIELDS should stand.</param>
    /// <param name="countError">The error where the number is none or not positive.</param>
    /// <param name="fields">The fields.</param>
    public static bool TryRead(
        Execution execution, int index, ReadOnlySpan<byte> countError, out FieldArguments fields)
    {
        fields = default;
        if (index >= execution.ArgumentCount || !execution.Is(index, "fields"u8))
        {
            execution.Reply.Error(
                "ERR Mandatory argument FIELDS is missing or not at the right position"u8);
            return false;
        }

        bool hasCount = index + 1 < execution.ArgumentCount;
        long count = 0;
        if (!hasCount || !RedisNumber.TryParseInt64(execution.Argument(index + 1), out count) || count < 1)
        {
            execution.Reply.Error(countError);
            return false;
        }

        if (count != execution.ArgumentCount - index - 2)
        {
            execution.Reply.Error("ERR The `numfields` parameter must match the number of arguments"u8);
            return false;
        }

        fields = new FieldArguments(index + 2, (int)count);
        return true;
    }

    /// <summary>Reads them and a condition, which may stand before or behind them, as in Redis 8.6; replies
    /// the error where they make no sense.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">The first of the arguments.</param>
    /// <param name="condition">The condition.</param>
    /// <param name="fields">The fields.</param>
    public static bool TryRead(
        Execution execution, int index, out FieldCondition condition, out FieldArguments fields)
    {
        condition = default;
        fields = default;
        bool isOne = true;
        for (; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "fields"u8))
            {
                if (!TryReadOnce(execution, ref index, ref fields))
                    return false;
                continue;
            }

            FieldCondition next = FieldCondition.Read(execution, index);
            if (next.IsNone)
            {
                execution.Reply.Error("ERR unknown argument: "u8, execution.Argument(index), default);
                return false;
            }

            isOne &= condition.IsNone || condition == next;
            condition = next;
        }

        if (fields.First == 0)
            execution.Reply.Error("ERR missing FIELDS argument"u8);
        else if (!isOne)
            execution.Reply.Error("ERR Multiple condition flags specified"u8);
        return fields.First != 0 && isOne;
    }

    private static bool TryReadOnce(Execution execution, ref int index, ref FieldArguments fields)
    {
        if (fields.First != 0)
            return Fail(execution, "ERR FIELDS keyword specified multiple times"u8);
        int first = index + 2;
        if (first >= execution.ArgumentCount)
            return Fail(execution, "ERR FIELDS requires at least numfields and one field argument"u8);
        if (!RedisNumber.TryParseInt64(execution.Argument(index + 1), out long count) || count < 1)
            return Fail(execution, "ERR Parameter `numFields` should be greater than 0"u8);
        if (count > execution.ArgumentCount - first)
            return Fail(execution, "ERR wrong number of arguments"u8);
        fields = new FieldArguments(first, (int)count);
        index = fields.End - 1;
        return true;
    }

    private static bool Fail(Execution execution, ReadOnlySpan<byte> error)
    {
        execution.Reply.Error(error);
        return false;
    }
}
