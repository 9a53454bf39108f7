using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that reply all of a hash: HGETALL, HKEYS, HVALS.</summary>
public static class HashContentCommands
{
    /// <summary>HGETALL key.</summary>
    public static Outcome HGetAll(Execution execution)
    {
        if (!HashReplies.TryViewKept(execution, out HashView hash))
            return Outcome.Done;
        if (execution.MustLeaveKeys(2 * HashReplies.FieldNs * hash.Count))
            return Outcome.OffLoopWithoutKeys;
        execution.Reply.MapHeader(hash.Count);
        foreach (FieldView field in hash)
        {
            HashReplies.Text(execution, field.Name);
            HashReplies.Text(execution, field.Value);
        }
        return Outcome.Done;
    }

    /// <summary>HKEYS key.</summary>
    public static Outcome HKeys(Execution execution) => ReplyHalf(execution, isNames: true);

    /// <summary>HVALS key.</summary>
    public static Outcome HVals(Execution execution) => ReplyHalf(execution, isNames: false);

    private static Outcome ReplyHalf(Execution execution, bool isNames)
    {
        if (!HashReplies.TryViewKept(execution, out HashView hash))
            return Outcome.Done;
        if (execution.MustLeaveKeys(HashReplies.FieldNs * hash.Count))
            return Outcome.OffLoopWithoutKeys;
        execution.Reply.ArrayHeader(hash.Count);
        FieldEnumerator fields = hash.GetEnumerator();
        while (fields.MoveNext())
            HashReplies.Text(execution, isNames ? fields.Name : fields.Value);
        return Outcome.Done;
    }
}
