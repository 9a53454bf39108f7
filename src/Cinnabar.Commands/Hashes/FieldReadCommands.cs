using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that read some fields: HEXISTS, HGET, HLEN, HMGET, HSTRLEN.</summary>
public static class FieldReadCommands
{
    /// <summary>HGET key field.</summary>
    public static void HGet(Execution execution)
    {
        HashReplies.RemoveDue(execution, 2, 3);
        if (HashReplies.TryView(execution, out HashView hash))
            HashReplies.Value(execution, hash, 2);
    }

    /// <summary>HMGET key field [field ...].</summary>
    public static void HMGet(Execution execution)
    {
        HashReplies.RemoveDue(execution, 2, execution.ArgumentCount);
        if (!HashReplies.TryView(execution, out HashView hash))
            return;
        execution.Reply.ArrayHeader(execution.ArgumentCount - 2);
        int ahead = 2;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (index == ahead)
                ahead = execution.LoadAhead(index);
            HashReplies.Value(execution, hash, index);
        }
    }

    /// <summary>HEXISTS key field.</summary>
    public static void HExists(Execution execution)
    {
        HashReplies.RemoveDue(execution, 2, 3);
        if (HashReplies.TryView(execution, out HashView hash))
            execution.Reply.Integer(hash.TryGet(execution.Argument(2), out _, execution.HintOf(2)) ? 1 : 0);
    }

    /// <summary>HSTRLEN key field.</summary>
    public static void HStrLen(Execution execution)
    {
        HashReplies.RemoveDue(execution, 2, 3);
        if (!HashReplies.TryView(execution, out HashView hash))
            return;
        bool isThere = hash.TryGet(execution.Argument(2), out FieldText value, execution.HintOf(2));
        execution.Reply.Integer(isThere ? value.Length : 0);
    }

    /// <summary>HLEN key.</summary>
    public static void HLen(Execution execution)
    {
        if (!HashReplies.TryView(execution, out HashView hash))
            return;
        bool isExact = execution.Keys.Keyspace.IsActiveExpiryEnabled;
        execution.Reply.Integer(isExact ? hash.Count : hash.CountStored);
    }
}
