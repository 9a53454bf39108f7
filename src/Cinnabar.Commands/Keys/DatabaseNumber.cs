namespace Cinnabar.Commands.Keys;

/// <summary>Arguments that number a database.</summary>
internal static class DatabaseNumber
{
    /// <summary>Reads the number of a database that exists, or replies Redis's error.</summary>
    public static bool TryRead(Execution execution, int index, out int database)
    {
        database = 0;
        if (!execution.TryInteger(index, out long number))
            return false;
        if (number is < int.MinValue or > int.MaxValue)
        {
            execution.Reply.Error(
                "ERR value is out of range, value must between -2147483648 and 2147483647"u8);
            return false;
        }

        database = (int)number;
        return Exists(execution, database);
    }

    /// <summary>Reads a number that fits 32 bits, or replies the given error.</summary>
    public static bool TryParse(Execution execution, int index, ReadOnlySpan<byte> error, out int number)
    {
        bool isNumber = RedisNumber.TryParseInt64(execution.Argument(index), out long value)
            && value is >= int.MinValue and <= int.MaxValue;
        number = isNumber ? (int)value : 0;
        if (!isNumber)
            execution.Reply.Error(error);
        return isNumber;
    }

    /// <summary>Whether there is such a database; otherwise replies Redis's error.</summary>
    public static bool Exists(Execution execution, int database)
    {
        if (database >= 0 && database < execution.Keys.Keyspace.DatabaseCount)
            return true;
        execution.Reply.Error(Errors.DatabaseOutOfRange);
        return false;
    }
}
