using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>The options of XADD and XTRIM, read in Redis's order of checks.</summary>
internal ref struct TrimOptions
{
    private const long LimitPerNode = 100;
    private const long LimitDefault = 10_000;
    private const long LimitMax = 1_000_000;

    private bool _isLimitGiven;

    /// <summary>What is to be cut off.</summary>
    internal StreamTrim Trim;

    /// <summary>Whether anything is.</summary>
    internal bool IsTrim { get; private set; }

    /// <summary>XADD: whether a missing key stays missing.</summary>
    internal bool IsNoMakeStream { get; private set; }

    /// <summary>XADD: the ID, where one is given.</summary>
    internal StreamId Id;

    /// <summary>XADD: whether an ID is given, not <c>*</c>.</summary>
    internal bool IsIdGiven { get; private set; }

    /// <summary>XADD: whether the given ID has its sequence.</summary>
    internal bool IsIdComplete;

    /// <summary>What happens to pending entries.</summary>
    internal ReferencePolicy Policy { get; private set; }

    /// <summary>Whether the command says what happens to them.</summary>
    internal bool IsPolicyGiven { get; private set; }

    /// <summary>The argument of the threshold.</summary>
    internal int ThresholdIndex { get; private set; }

    /// <summary>XADD: the producer's argument; its ID follows, unless <see cref="IsIdempotentAuto"/>.
    /// 0: none.</summary>
    internal int ProducerIndex { get; private set; }

    /// <summary>XADD: whether the producer's ID is made of the entry.</summary>
    internal bool IsIdempotentAuto { get; private set; }

    /// <summary>Reads the options, or replies Redis's error.</summary>
    /// <param name="execution">The command's execution.</param>
    /// <param name="isAdd">Whether it is XADD: then they end with the ID.</param>
    /// <param name="index">The first option's; then of XADD's ID.</param>
    internal bool TryRead(Execution execution, bool isAdd, ref int index)
    {
        for (; index < execution.ArgumentCount; index++)
        {
            if (isAdd && execution.Argument(index) is [(byte)'*']) break;
            if (!TryReadOption(execution, isAdd, ref index, out bool isEnd)) return false;
            if (isEnd) break;
        }
        bool isRead = TryEnd(execution, isAdd);
        Debug.Assert(!isRead || Trim.IsApproximate || Trim.CountMax == 0, "an exact trim has no limit");
        return isRead;
    }

    private bool TryReadOption(Execution execution, bool isAdd, ref int index, out bool isEnd)
    {
        isEnd = false;
        bool hasMore = index + 1 < execution.ArgumentCount;
        bool isById = execution.Is(index, "minid"u8);
        if (hasMore && (isById || execution.Is(index, "maxlen"u8)))
            return TryReadThreshold(execution, isById, ref index);
        if (hasMore && execution.Is(index, "limit"u8))
        {
            if (!execution.TryInteger(++index, out Trim.CountMax)) return false;
            _isLimitGiven = true;
            return Trim.CountMax >= 0 || Fail(execution, "ERR The LIMIT argument must be >= 0."u8);
        }
        if (isAdd && execution.Is(index, "nomkstream"u8))
        {
            IsNoMakeStream = true;
            return true;
        }
        int left = execution.ArgumentCount - index - 1;
        if (isAdd && left >= 2 && execution.Is(index, "idmp"u8))
            return TryReadProducer(execution, ref index, isAuto: false);
        if (isAdd && left >= 1 && execution.Is(index, "idmpauto"u8))
            return TryReadProducer(execution, ref index, isAuto: true);
        if (execution.Is(index, "keepref"u8)) return TrySetPolicy(execution, ReferencePolicy.Keep);
        if (execution.Is(index, "delref"u8)) return TrySetPolicy(execution, ReferencePolicy.Delete);
        if (execution.Is(index, "acked"u8)) return TrySetPolicy(execution, ReferencePolicy.Acknowledged);
        if (!isAdd) return Fail(execution, Errors.Syntax);
        isEnd = true;
        IsIdGiven = true;
        return StreamIdText.TryNew(execution, index, out Id, out IsIdComplete);
    }

    private bool TryReadProducer(Execution execution, ref int index, bool isAuto)
    {
        if (ProducerIndex != 0) return Fail(execution, "ERR IDMP/IDMPAUTO specified multiple times"u8);
        ProducerIndex = index + 1;
        IsIdempotentAuto = isAuto;
        if (execution.Argument(ProducerIndex).IsEmpty)
        {
            return Fail(execution, isAuto
                ? "ERR IDMPAUTO requires a non-empty producer ID"u8
                : "ERR IDMP requires a non-empty producer ID"u8);
        }
        if (!isAuto && execution.Argument(ProducerIndex + 1).IsEmpty)
            return Fail(execution, "ERR IDMP requires a non-empty idempotent ID"u8);
        index += isAuto ? 1 : 2;
        return true;
    }

    private bool TrySetPolicy(Execution execution, ReferencePolicy policy)
    {
        if (IsPolicyGiven) return Fail(execution, Errors.Syntax);
        IsPolicyGiven = true;
        Policy = policy;
        return true;
    }

    private bool TryReadThreshold(Execution execution, bool isById, ref int index)
    {
        if (IsTrim)
        {
            return Fail(execution,
                "ERR syntax error, MAXLEN and MINID options at the same time are not compatible"u8);
        }
        Trim.IsById = isById;
        if (index + 2 < execution.ArgumentCount && execution.Argument(index + 1) is [(byte)'~' or (byte)'='])
            Trim.IsApproximate = execution.Argument(++index)[0] == (byte)'~';
        ThresholdIndex = ++index;
        IsTrim = true;
        if (isById) return StreamIdText.TryStrict(execution, index, out Trim.IdMin);
        if (!execution.TryInteger(index, out Trim.LengthMax)) return false;
        return Trim.LengthMax >= 0 || Fail(execution, "ERR The MAXLEN argument must be >= 0."u8);
    }

    private bool TryEnd(Execution execution, bool isAdd)
    {
        if (ProducerIndex != 0 && IsIdGiven && !execution.IsReplay)
            return Fail(execution, "ERR IDMP/IDMPAUTO can be used only with auto-generated IDs"u8);
        if (Trim.CountMax != 0 && !IsTrim)
        {
            return Fail(execution,
                "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy"u8);
        }
        if (!isAdd && !IsTrim)
            return Fail(execution, "ERR syntax error, XTRIM must be called with a trimming strategy"u8);
        // What Redis records is exact, and has the limit still.
        if (execution.IsReplay && !Trim.IsApproximate)
        {
            Trim.CountMax = 0;
            return true;
        }
        if (_isLimitGiven)
        {
            return Trim.IsApproximate || Fail(execution,
                "ERR syntax error, LIMIT cannot be used without the special ~ option"u8);
        }
        if (!Trim.IsApproximate) return true;
        // So that one command's work is bounded, whatever a page may hold.
        CollectionLimits limits = execution.Keys.Keyspace.Limits;
        long limit = Math.Min(limits.StreamNodeEntriesMax, LimitMax) * LimitPerNode;
        Trim.CountMax = limit <= 0 ? LimitDefault : Math.Min(limit, LimitMax);
        return true;
    }

    private static bool Fail(Execution execution, ReadOnlySpan<byte> error)
    {
        execution.Reply.Error(error);
        return false;
    }
}
