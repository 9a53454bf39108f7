using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>The arguments of LMPOP and BLMPOP from the number of keys on.</summary>
public struct ListMPopOptions
{
    /// <summary>The first argument that is a key.</summary>
    public int KeyFirst { get; private set; }

    /// <summary>The argument behind the last key.</summary>
    public int KeyEnd { get; private set; }

    /// <summary>The end to take from.</summary>
    public ListEnd End { get; private set; }

    /// <summary>How many elements at most.</summary>
    public long CountMax { get; private set; }

    /// <summary>Reads them, or replies the error.</summary>
    /// <param name="execution">Of the command.</param>
    /// <param name="first">The argument with the number of keys.</param>
    /// <param name="options">What was read.</param>
    public static bool TryRead(Execution execution, int first, out ListMPopOptions options)
    {
        options = new ListMPopOptions { KeyFirst = first + 1, CountMax = 1 };
        if (!RedisNumber.TryParseInt64(execution.Argument(first), out long keyCount) || keyCount < 1)
        {
            execution.Reply.Error("ERR numkeys should be greater than 0"u8);
            return false;
        }

        if (keyCount > execution.ArgumentCount - first - 2)
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        options.KeyEnd = options.KeyFirst + (int)keyCount;
        if (!ListReplies.TryReadEnd(execution, options.KeyEnd, out ListEnd end))
            return false;
        options.End = end;
        Debug.Assert(options.KeyFirst < options.KeyEnd, "it names a key");
        return options.TryReadCount(execution, options.KeyEnd + 1);
    }

    private bool TryReadCount(Execution execution, int index)
    {
        if (index == execution.ArgumentCount)
            return true;
        if (index + 1 == execution.ArgumentCount || !execution.Is(index, "count"u8))
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(index + 1), out long count) || count < 1)
        {
            execution.Reply.Error("ERR count should be greater than 0"u8);
            return false;
        }

        CountMax = count;
        if (index + 2 == execution.ArgumentCount)
            return true;
        execution.Reply.Error(Errors.Syntax);
        return false;
    }
}
