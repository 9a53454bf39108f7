using System;
using Cinnabar.Resp;

namespace Cinnabar.Commands.Hashes;

/// <summary>The end of many commands on fields: FIELDS numfields field [field ...].</summary>
internal readonly struct FieldArguments
{
    private FieldArguments(int first, int count)
    {
        First = first;
        Count = count;
    }

    /// <summary>The argument that is the first field.</summary>
    public int First { get; }

    /// <summary>How many fields follow.</summary>
    public int Count { get; }

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
}
