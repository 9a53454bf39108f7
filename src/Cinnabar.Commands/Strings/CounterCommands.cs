using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Strings;

/// <summary>Strings as numbers: DECR, DECRBY, INCR, INCRBY, INCRBYFLOAT.</summary>
public static class CounterCommands
{
    /// <summary>INCR key.</summary>
    public static void Incr(Execution execution) => Add(execution, 1);

    /// <summary>DECR key.</summary>
    public static void Decr(Execution execution) => Add(execution, -1);

    /// <summary>INCRBY key increment.</summary>
    public static void IncrBy(Execution execution)
    {
        if (execution.TryInteger(2, out long increment))
            Add(execution, increment);
    }

    /// <summary>DECRBY key decrement.</summary>
    public static void DecrBy(Execution execution)
    {
        if (!execution.TryInteger(2, out long decrement))
            return;
        if (decrement == long.MinValue)
            execution.Reply.Error("ERR decrement would overflow"u8);
        else
            Add(execution, -decrement);
    }

    /// <summary>INCRBYFLOAT key increment.</summary>
    public static void IncrByFloat(Execution execution)
    {
        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        ExtendedFloat value = ExtendedFloat.FromInt64(0);
        if ((!entry.IsMissing && !TryReadFloat(entry, out value))
            || !ExtendedFloat.TryParse(execution.Argument(2), out ExtendedFloat increment))
        {
            execution.Reply.Error(Errors.NotFloat);
            return;
        }

        if (!ExtendedFloat.TryAdd(in value, in increment, out ExtendedFloat sum))
        {
            execution.Reply.Error("ERR increment would produce NaN or Infinity"u8);
            return;
        }

        Span<byte> text = stackalloc byte[ExtendedFloat.BytesMax];
        text = text[..sum.Format(text)];
        Key key = execution.Key(1);
        execution.Strings.SetRaw(in key, text, StringStore.KeepDeadline);
        execution.Keys.Changed(in key, KeyEvent.IncrementByFloat);
        if (execution.Effects.IsRecording)
            execution.Effects.Begin("SET"u8).With(key.Span).With(text).End("KEEPTTL"u8);
        execution.Reply.Bulk(text);
    }

    private static void Add(Execution execution, long increment)
    {
        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        long value = 0;
        if (!entry.IsMissing && !TryReadInteger(entry, out value))
        {
            execution.Reply.Error(Errors.NotInteger);
            return;
        }

        long sum = unchecked(value + increment);
        if (((value ^ sum) & (increment ^ sum)) < 0)
        {
            execution.Reply.Error("ERR increment or decrement would overflow"u8);
            return;
        }

        Key key = execution.Key(1);
        if (!entry.IsMissing && entry.Encoding == KeyEncoding.Int)
            execution.Strings.ReplaceInteger(entry, in key, sum);
        else
            execution.Strings.SetInteger(in key, sum, StringStore.KeepDeadline);
        execution.Keys.Changed(in key, KeyEvent.IncrementBy);
        execution.Reply.Integer(sum);
    }

    private static bool TryReadInteger(EntryView entry, out long value)
    {
        switch (entry.Encoding)
        {
            case KeyEncoding.Int:
                value = entry.Integer;
                return true;
            case KeyEncoding.Blocks:
                value = 0;
                return false;
            default:
                return RedisNumber.TryParseInt64(entry.InlineBytes, out value);
        }
    }

    private static bool TryReadFloat(EntryView entry, out ExtendedFloat value)
    {
        switch (entry.Encoding)
        {
            case KeyEncoding.Int:
                value = ExtendedFloat.FromInt64(entry.Integer);
                return true;
            case KeyEncoding.Blocks:
                value = default;
                return false;
            default:
                return ExtendedFloat.TryParse(entry.InlineBytes, out value);
        }
    }
}
