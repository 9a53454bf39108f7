namespace Cinnabar.Commands.Strings;

/// <summary>Compare and delete: DELEX, DELIFEQ; and the digest to compare with: DIGEST.</summary>
public static class CompareCommands
{
    /// <summary>DELEX key [IFEQ value | IFNE value | IFDEQ digest | IFDNE digest]; unconditional for any
    /// type.</summary>
    public static Outcome DelEx(Execution execution)
    {
        if (execution.ArgumentCount is not (2 or 4))
        {
            Errors.ReplyWrongArity(execution, "delex"u8);
            return Outcome.Done;
        }

        EntryView entry = execution.Keys.FindForWrite(execution.Key(1));
        if (entry.IsMissing)
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }

        if (execution.ArgumentCount == 2)
        {
            Delete(execution);
            return Outcome.Done;
        }

        if (entry.Type != KeyType.String)
        {
            execution.Reply.Error("ERR Key should be of string type if conditions are specified"u8);
            return Outcome.Done;
        }

        ValueCondition condition = default;
        int index = 2;
        if (!condition.TryReadComparison(execution, ref index))
        {
            execution.Reply.Error("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE"u8);
            return Outcome.Done;
        }

        if (execution.MustLeaveLoop(StringDigest.CostNs(entry)))
            return Outcome.OffLoop;
        if (!condition.TryDecide(execution, entry, out bool isMet))
            return Outcome.Done;
        if (isMet)
            Delete(execution);
        else
            execution.Reply.Integer(0);
        return Outcome.Done;
    }

    /// <summary>DELIFEQ key value.</summary>
    public static void DelIfEq(Execution execution)
    {
        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        if (!entry.IsMissing && entry.String.SequenceEqual(execution.Argument(2)))
            Delete(execution);
        else
            execution.Reply.Integer(0);
    }

    /// <summary>DIGEST key.</summary>
    public static Outcome Digest(Execution execution)
    {
        if (!execution.TryFindStringKept(1, out EntryView entry))
            return Outcome.Done;
        if (entry.IsMissing)
        {
            execution.Reply.Null();
            return Outcome.Done;
        }

        if (execution.MustLeaveKeys(StringDigest.CostNs(entry)))
            return Outcome.OffLoopWithoutKeys;
        Span<byte> text = stackalloc byte[StringDigest.HexLength];
        StringDigest.Format(StringDigest.Of(entry), text);
        execution.Reply.Bulk(text);
        return Outcome.Done;
    }

    private static void Delete(Execution execution)
    {
        Key key = execution.Key(1);
        bool isRemoved = execution.Keys.Remove(in key);
        Debug.Assert(isRemoved, "the key was there");
        execution.Keys.Changed(in key, KeyEvent.Deleted);
        if (execution.Effects.IsRecording)
            execution.Effects.Begin("DEL"u8).End(key.Span);
        execution.Reply.Integer(1);
    }
}
