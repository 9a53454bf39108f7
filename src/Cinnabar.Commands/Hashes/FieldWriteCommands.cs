using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that write or remove fields: HDEL, HMSET, HSET, HSETNX.</summary>
public static class FieldWriteCommands
{
    // What a field or value costs beside its bytes, where these are few.
    private const int OverheadBytes = 2;

    private const int ReservedBytesMax = 4096;

    /// <summary>HSET key field value [field value ...].</summary>
    public static void HSet(Execution execution)
    {
        if (TrySet(execution, "hset"u8, out long newCount))
            execution.Reply.Integer(newCount);
    }

    /// <summary>HMSET key field value [field value ...].</summary>
    public static void HMSet(Execution execution)
    {
        if (TrySet(execution, "hmset"u8, out _))
            execution.Reply.Ok();
    }

    /// <summary>HSETNX key field value.</summary>
    public static void HSetNx(Execution execution)
    {
        HashReplies.RemoveDue(execution, 2, 3);
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        bool isThere = hash.View.TryGet(execution.Argument(2), out _, execution.HintOf(2));
        if (!isThere)
        {
            if (hash.IsMissing)
                hash = Create(execution, 2, execution.ArgumentCount);
            hash.Set(execution.Argument(2), execution.Argument(3), HashStore.NoDeadline, execution.HintOf(2));
            hash.Complete();
            HashReplies.Changed(execution, KeyEvent.HashSet, 1);
        }

        execution.Reply.Integer(isThere ? 0 : 1);
    }

    /// <summary>HDEL key field [field ...].</summary>
    public static void HDel(Execution execution)
    {
        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return;
        long count = 0;
        if (!hash.IsMissing)
        {
            int ahead = 2;
            for (int index = 2; index < execution.ArgumentCount; index++)
            {
                if (index == ahead)
                    ahead = execution.LoadAhead(index);
                count += hash.Remove(execution.Argument(index), execution.HintOf(index)) ? 1 : 0;
            }

            HashReplies.Changed(execution, KeyEvent.HashDeleted, count);
            HashReplies.Complete(execution, hash);
        }

        execution.Reply.Integer(count);
    }

    /// <summary>Makes the hash of the first argument, with room for the fields and values from an argument
    /// on to before another.</summary>
    internal static HashEditor Create(Execution execution, int first, int end)
    {
        Debug.Assert(first < end && end <= execution.ArgumentCount, "a hash has a field");
        long bytes = 0;
        for (int index = first; index < end; index++)
            bytes += execution.Argument(index).Length + OverheadBytes;
        Key key = execution.Key(1);
        return HashStore.Create(execution.Keys, in key, bytes > ReservedBytesMax ? 0 : (int)bytes);
    }

    private static bool TrySet(Execution execution, ReadOnlySpan<byte> command, out long newCount)
    {
        newCount = 0;
        if ((execution.ArgumentCount & 1) != 0)
        {
            Errors.ReplyWrongArity(execution, command);
            return false;
        }

        if (!HashReplies.TryOpen(execution, out HashEditor hash))
            return false;
        if (hash.IsMissing)
            hash = Create(execution, 2, execution.ArgumentCount);
        hash.Reserve((execution.ArgumentCount - 2) / 2);
        int ahead = 2;
        for (int index = 2; index < execution.ArgumentCount; index += 2)
        {
            if (index == ahead)
                ahead = execution.LoadAhead(index, 2);
            bool isNew = hash.Set(execution.Argument(index), execution.Argument(index + 1),
                HashStore.NoDeadline, execution.HintOf(index));
            newCount += isNew ? 1 : 0;
        }

        hash.Complete();
        HashReplies.Changed(execution, KeyEvent.HashSet, (execution.ArgumentCount - 2) / 2);
        return true;
    }
}
