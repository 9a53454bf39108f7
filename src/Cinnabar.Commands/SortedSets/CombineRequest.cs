using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>What ZUNION and its like are asked for, read in the order in which Redis finds faults: keys,
/// their types, options.</summary>
internal struct CombineRequest
{
    private int _firstKey;
    private int _weightsIndex;

    /// <summary>Number of keys.</summary>
    public int KeyCount { get; private set; }

    /// <summary>The argument that is the first key.</summary>
    public readonly int FirstKey => _firstKey;

    /// <summary>What becomes of several scores.</summary>
    public Aggregate Aggregate { get; private set; }

    /// <summary>Whether the scores are wanted.</summary>
    public bool WithScores { get; private set; }

    /// <summary>Where ZINTERCARD stops counting; 0: nowhere.</summary>
    public long Limit { get; private set; }

    /// <summary>Reads the number of keys, or replies the error, for a command named in lower case.</summary>
    public bool TryReadKeys(Execution execution, int index, ReadOnlySpan<byte> command)
    {
        if (!execution.TryInteger(index, out long count))
            return false;
        if (count < 1)
        {
            execution.Reply.Error("ERR at least 1 input key is needed for '"u8, command, "' command"u8);
            return false;
        }

        _firstKey = index + 1;
        if (count > execution.ArgumentCount - _firstKey)
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        KeyCount = (int)count;
        return true;
    }

    /// <summary>Whether all keys are missing, sorted sets or sets; else replies the error.</summary>
    public readonly bool AreSets(Execution execution)
    {
        for (int index = _firstKey; index < _firstKey + KeyCount; index++)
        {
            EntryView entry = execution.FindKept(index);
            if (entry.IsMissing || entry.Type is KeyType.SortedSet or KeyType.Set)
                continue;
            execution.Reply.Error(Errors.WrongType);
            return false;
        }

        return true;
    }

    /// <summary>Reads the options behind the keys, or replies the error.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="allowed">Those that the command has.</param>
    public bool TryReadOptions(Execution execution, CombineOptions allowed)
    {
        Debug.Assert(KeyCount > 0, "the keys are read first");
        int index = _firstKey + KeyCount;
        while (index < execution.ArgumentCount)
        {
            int left = execution.ArgumentCount - index;
            bool isRead;
            bool hasWeights = allowed.HasFlag(CombineOptions.Weights);
            if (hasWeights && left > KeyCount && execution.Is(index, "weights"u8))
                isRead = TryReadWeights(execution, ref index);
            else if (hasWeights && left > 1 && execution.Is(index, "aggregate"u8))
                isRead = TryReadAggregate(execution, ref index);
            else if (allowed.HasFlag(CombineOptions.Limit) && left > 1 && execution.Is(index, "limit"u8))
                isRead = TryReadLimit(execution, ref index);
            else
                isRead = TryReadWithScores(execution, allowed, ref index);
            if (!isRead)
                return false;
        }

        return true;
    }

    /// <summary>Opens the sources, in the order of the keys.</summary>
    public readonly void Open(Execution execution, Span<ScoredSource> sources)
    {
        Debug.Assert(KeyCount > 0 && sources.Length >= KeyCount, "the keys are read, and have room");
        for (int index = 0; index < KeyCount; index++)
        {
            double weight = 1;
            if (_weightsIndex != 0)
                RedisNumber.TryParseDouble(execution.Argument(_weightsIndex + index), out weight);
            int place = _firstKey + index;
            EntryView entry = execution.Kept(place);
            sources[index] = execution.SortedSets.Source(entry, weight, index);
        }
    }

    private bool TryReadWeights(Execution execution, ref int index)
    {
        _weightsIndex = index + 1;
        index += KeyCount + 1;
        for (int at = _weightsIndex; at < index; at++)
        {
            if (RedisNumber.TryParseDouble(execution.Argument(at), out _))
                continue;
            execution.Reply.Error("ERR weight value is not a float"u8);
            return false;
        }

        return true;
    }

    private bool TryReadAggregate(Execution execution, ref int index)
    {
        index += 2;
        if (execution.Is(index - 1, "sum"u8))
            Aggregate = Aggregate.Sum;
        else if (execution.Is(index - 1, "min"u8))
            Aggregate = Aggregate.Min;
        else if (execution.Is(index - 1, "max"u8))
            Aggregate = Aggregate.Max;
        else
            return Refuse(execution);
        return true;
    }

    private bool TryReadLimit(Execution execution, ref int index)
    {
        index += 2;
        if (RedisNumber.TryParseInt64(execution.Argument(index - 1), out long limit) && limit >= 0)
        {
            Limit = limit;
            return true;
        }

        execution.Reply.Error("ERR LIMIT can't be negative"u8);
        return false;
    }

    private bool TryReadWithScores(Execution execution, CombineOptions allowed, ref int index)
    {
        if (!allowed.HasFlag(CombineOptions.WithScores) || !execution.Is(index, "withscores"u8))
            return Refuse(execution);
        index++;
        WithScores = true;
        return true;
    }

    private static bool Refuse(Execution execution)
    {
        execution.Reply.Error(Errors.Syntax);
        return false;
    }
}
