using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Fields as numbers: HINCRBY, HINCRBYFLOAT.</summary>
public static class FieldCounterCommands
{
    /// <summary>HINCRBY key field increment.</summary>
    public static void HIncrBy(Execution execution)
    {
        if (!execution.TryInteger(3, out long increment))
            return;
        HashReplies.RemoveDue(execution, 2, 3);
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        long value = 0;
        if (hash.View.TryGet(execution.Argument(2), out FieldText text, execution.HintOf(2))
            && !text.TryGetInteger(out value))
        {
            execution.Reply.Error("ERR hash value is not an integer"u8);
            return;
        }

        long sum = unchecked(value + increment);
        if (((value ^ sum) & (increment ^ sum)) < 0)
        {
            execution.Reply.Error("ERR increment or decrement would overflow"u8);
            return;
        }

        Span<byte> digits = stackalloc byte[FieldText.ScratchSize];
        Store(execution, ref hash, digits[..RedisNumber.FormatInt64(sum, digits)], KeyEvent.HashIncrementBy);
        execution.Reply.Integer(sum);
    }

    /// <summary>HINCRBYFLOAT key field increment.</summary>
    public static void HIncrByFloat(Execution execution)
    {
        if (!ExtendedFloat.TryParse(execution.Argument(3), out ExtendedFloat increment))
        {
            execution.Reply.Error(Errors.NotFloat);
            return;
        }

        if (!increment.IsFinite)
        {
            execution.Reply.Error("ERR value is NaN or Infinity"u8);
            return;
        }

        HashReplies.RemoveDue(execution, 2, 3);
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        if (!TryReadFloat(execution, hash.View, out ExtendedFloat value))
        {
            execution.Reply.Error("ERR hash value is not a float"u8);
            return;
        }

        if (!ExtendedFloat.TryAdd(in value, in increment, out ExtendedFloat sum))
        {
            execution.Reply.Error("ERR increment would produce NaN or Infinity"u8);
            return;
        }

        Span<byte> text = stackalloc byte[ExtendedFloat.BytesMax];
        text = text[..sum.Format(text)];
        Store(execution, ref hash, text, KeyEvent.HashIncrementByFloat);
        if (execution.Effects.IsRecording)
            FieldEffects.SetValue(execution, hash.View, text);
        execution.Reply.Bulk(text);
    }

    // A field that is missing counts as 0.
    private static bool TryReadFloat(Execution execution, HashView hash, out ExtendedFloat value)
    {
        value = ExtendedFloat.FromInt64(0);
        if (!hash.TryGet(execution.Argument(2), out FieldText text, execution.HintOf(2)))
            return true;
        if (!text.IsInteger)
            return ExtendedFloat.TryParse(text.Bytes, out value);
        value = ExtendedFloat.FromInt64(text.Integer);
        return true;
    }

    private static void Store(
        Execution execution, ref HashEditor hash, scoped ReadOnlySpan<byte> value, KeyEvent keyEvent)
    {
        Debug.Assert(!value.IsEmpty, "a number has a digit");
        if (hash.IsMissing)
            hash = FieldWriteCommands.Create(execution, 2, execution.ArgumentCount);
        hash.Set(execution.Argument(2), value, HashStore.KeepDeadline, execution.HintOf(2));
        hash.Complete();
        HashReplies.Changed(execution, keyEvent, 1);
    }
}
