namespace Cinnabar.Commands.Streams;

/// <summary>The options of XREAD and XREADGROUP, read in Redis's order of checks.</summary>
internal ref struct ReadOptions
{
    /// <summary>Entries of each stream at most; 0: any number.</summary>
    internal long CountMax;

    /// <summary>How long to wait; 0: for ever; negative: not at all.</summary>
    internal long TimeoutMs;

    /// <summary>XREADGROUP: what is pending for so long is claimed; negative: nothing.</summary>
    internal long ClaimIdleMs;

    /// <summary>The first key's argument; the IDs follow the last key.</summary>
    internal int KeyIndex;

    internal int KeyCount;

    /// <summary>The group's argument; the consumer's follows. 0: none.</summary>
    internal int GroupIndex;

    /// <summary>Whether what is read counts as acknowledged.</summary>
    internal bool IsNoAck;

    /// <summary>The argument with the ID for a key's.</summary>
    internal readonly int IdIndexOf(int keyIndex)
    {
        Debug.Assert(keyIndex >= KeyIndex && keyIndex < KeyIndex + KeyCount, "no stream of the command");
        return keyIndex + KeyCount;
    }

    /// <summary>Reads the options, or replies Redis's error.</summary>
    internal bool TryRead(Execution execution, bool isGroup)
    {
        CountMax = 0;
        TimeoutMs = -1;
        ClaimIdleMs = -1;
        for (int index = 1; index < execution.ArgumentCount && KeyIndex == 0; index++)
        {
            if (!TryReadOption(execution, isGroup, ref index)) return false;
        }
        if (KeyIndex == 0) return Fail(execution, Errors.Syntax);
        if (isGroup && GroupIndex == 0) return Fail(execution, "ERR Missing GROUP option for XREADGROUP"u8);
        return true;
    }

    private bool TryReadOption(Execution execution, bool isGroup, ref int index)
    {
        int left = execution.ArgumentCount - index - 1;
        if (left > 0 && execution.Is(index, "block"u8))
            return BlockingTimeout.TryMilliseconds(execution, ++index, out TimeoutMs);
        if (left > 0 && execution.Is(index, "count"u8))
        {
            if (!execution.TryInteger(++index, out CountMax)) return false;
            CountMax = Math.Max(CountMax, 0);
            return true;
        }
        if (left > 0 && execution.Is(index, "streams"u8))
            return TryReadStreams(execution, isGroup, index + 1);
        if (left > 1 && execution.Is(index, "group"u8))
        {
            if (!isGroup) return FailGroupOnly(execution, "GROUP"u8);
            GroupIndex = index + 1;
            index += 2;
            return true;
        }
        if (execution.Is(index, "noack"u8))
        {
            IsNoAck = true;
            return isGroup || FailGroupOnly(execution, "NOACK"u8);
        }
        if (left > 0 && execution.Is(index, "claim"u8))
        {
            if (!isGroup) return FailGroupOnly(execution, "CLAIM"u8);
            return TryReadClaim(execution, ++index);
        }
        return Fail(execution, Errors.Syntax);
    }

    private bool TryReadClaim(Execution execution, int index)
    {
        if (!RedisNumber.TryParseInt64(execution.Argument(index), out ClaimIdleMs))
            return Fail(execution, "ERR min-idle-time is not an integer"u8);
        return ClaimIdleMs >= 0 || Fail(execution, "ERR min-idle-time must be a positive integer"u8);
    }

    private bool TryReadStreams(Execution execution, bool isGroup, int index)
    {
        int count = execution.ArgumentCount - index;
        if ((count & 1) != 0)
        {
            execution.Reply.Error(isGroup
                ? "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be "u8
                    + "specified."u8
                : "ERR Unbalanced 'xread' list of streams: for each stream key an ID, '+', or '$' must be "u8
                    + "specified."u8);
            return false;
        }
        KeyIndex = index;
        KeyCount = count / 2;
        return true;
    }

    private static bool FailGroupOnly(Execution execution, ReadOnlySpan<byte> option)
    {
        execution.Reply.Error("ERR The "u8, option,
            " option is only supported by XREADGROUP. You called XREAD instead."u8);
        return false;
    }

    private static bool Fail(Execution execution, ReadOnlySpan<byte> error)
    {
        execution.Reply.Error(error);
        return false;
    }
}
