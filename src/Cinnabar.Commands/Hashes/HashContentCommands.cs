using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that reply all of a hash: HGETALL, HKEYS, HVALS.</summary>
public static class HashContentCommands
{
    /// <summary>HGETALL key.</summary>
    public static void HGetAll(Execution execution)
    {
        if (!HashReplies.TryViewKept(execution, out HashView hash)
            || execution.TryMoveWithoutKeys(2 * HashReplies.FieldNs * hash.Count))
            return;
        execution.Reply.MapHeader(hash.Count);
        foreach (FieldView field in hash)
        {
            HashReplies.Text(execution, field.Name);
            HashReplies.Text(execution, field.Value);
        }
    }

    /// <summary>HKEYS key.</summary>
    public static void HKeys(Execution execution)
    {
        if (!HashReplies.TryViewKept(execution, out HashView hash)
            || execution.TryMoveWithoutKeys(HashReplies.FieldNs * hash.Count))
            return;
        execution.Reply.ArrayHeader(hash.Count);
        foreach (FieldView field in hash)
            HashReplies.Text(execution, field.Name);
    }

    /// <summary>HVALS key.</summary>
    public static void HVals(Execution execution)
    {
        if (!HashReplies.TryViewKept(execution, out HashView hash)
            || execution.TryMoveWithoutKeys(HashReplies.FieldNs * hash.Count))
            return;
        execution.Reply.ArrayHeader(hash.Count);
        foreach (FieldView field in hash)
            HashReplies.Text(execution, field.Value);
    }
}
