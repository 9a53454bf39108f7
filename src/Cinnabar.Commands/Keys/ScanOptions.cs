namespace Cinnabar.Commands.Keys;

/// <summary>What SCAN was asked for beside its cursor. The last of an option that stands twice
/// wins.</summary>
internal struct ScanOptions
{
    private const long CountDefault = 10;

    private int _patternIndex;
    private int _typeIndex;

    /// <summary>How many keys to look at, at least.</summary>
    public long Count { get; private set; }

    /// <summary>The argument that is the pattern; 0: everything passes.</summary>
    public readonly int PatternIndex => _patternIndex;

    /// <summary>Whether the collection's own word stood among the options.</summary>
    public bool IsFlagged { get; private set; }

    /// <summary>Reads the options from an argument on; replies the error where they make no sense.</summary>
    public bool TryRead(Execution execution, int first) => TryRead(execution, first, ofKeys: true, default);

    /// <summary>As <see cref="TryRead(Execution, int)"/>, for the members of a collection, which have no
    /// type.</summary>
    public bool TryReadOfMembers(Execution execution, int first) =>
        TryRead(execution, first, ofKeys: false, default);

    /// <summary>As <see cref="TryReadOfMembers(Execution, int)"/>, with one more word that may stand among
    /// the options.</summary>
    public bool TryReadOfMembers(Execution execution, int first, ReadOnlySpan<byte> flag) =>
        TryRead(execution, first, ofKeys: false, flag);

    private bool TryRead(Execution execution, int first, bool ofKeys, ReadOnlySpan<byte> flag)
    {
        Count = CountDefault;
        for (int index = first; index < execution.ArgumentCount; index += 2)
        {
            bool hasValue = index + 1 < execution.ArgumentCount;
            if (hasValue && execution.Is(index, "count"u8))
            {
                if (!execution.TryInteger(index + 1, out long count))
                    return false;
                if (count < 1)
                    return ReplySyntaxError(execution);
                Count = count;
            }
            else if (hasValue && execution.Is(index, "match"u8))
                UsePattern(execution, index + 1);
            else if (ofKeys && hasValue && execution.Is(index, "type"u8))
                _typeIndex = index + 1;
            else if (!flag.IsEmpty && execution.Is(index, flag))
            {
                IsFlagged = true;
                index--;
            }
            else
                return ReplyUnknown(execution, index);
        }

        return true;
    }

    /// <summary>Replies that a word is no option here; always false.</summary>
    public static bool ReplyUnknown(Execution execution, int index)
    {
        if (execution.Is(index, "novalues"u8))
            execution.Reply.Error("ERR NOVALUES option can only be used in HSCAN"u8);
        else if (execution.Is(index, "noscores"u8))
            execution.Reply.Error("ERR NOSCORES option can only be used in ZSCAN"u8);
        else
            execution.Reply.Error(Errors.Syntax);
        return false;
    }

    /// <summary>How many keys the options ask for, where they make sense.</summary>
    public static long PeekCount(Execution execution, int first)
    {
        long count = CountDefault;
        for (int index = first; index + 1 < execution.ArgumentCount; index += 2)
        {
            if (execution.Is(index, "count"u8)
                && RedisNumber.TryParseInt64(execution.Argument(index + 1), out long wanted))
                count = wanted;
        }

        return count;
    }

    /// <summary>Takes an argument as the pattern that keys must match; a lone star lets even the empty key
    /// pass.</summary>
    public void UsePattern(Execution execution, int index)
    {
        Debug.Assert(index > 0, "0 stands for no pattern");
        _patternIndex = execution.Argument(index).SequenceEqual("*"u8) ? 0 : index;
    }

    /// <summary>Whether the reply shall name a key. A type that there is not is the type of no key.</summary>
    public readonly bool Matches(Execution execution, EntryView entry) =>
        (_patternIndex == 0 || GlobPattern.Matches(execution.Argument(_patternIndex), entry.Key))
        && (_typeIndex == 0 || execution.Is(_typeIndex, KeyCommands.NameOf(entry.Type)));

    private static bool ReplySyntaxError(Execution execution)
    {
        execution.Reply.Error(Errors.Syntax);
        return false;
    }
}
