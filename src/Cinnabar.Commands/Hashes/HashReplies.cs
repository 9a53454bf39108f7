using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>What the commands on hashes have in common.</summary>
internal static class HashReplies
{
    /// <summary>Work of replying a field, in nanoseconds, for the slow lane's estimate.</summary>
    public const long FieldNs = 50;

    /// <summary>The hash of the first argument, to be read; WRONGTYPE is replied where it is
    /// none.</summary>
    public static bool TryView(Execution execution, out HashView hash)
    {
        bool isHash = execution.TryFind(1, KeyType.Hash, out EntryView entry);
        hash = isHash ? HashStore.View(execution.Keys, entry) : default;
        return isHash;
    }

    /// <summary>As <see cref="TryView"/>; what is found is kept.</summary>
    public static bool TryViewKept(Execution execution, out HashView hash)
    {
        bool isHash = execution.TryFindKept(1, KeyType.Hash, out EntryView entry);
        hash = isHash ? HashStore.View(execution.Keys, entry) : default;
        return isHash;
    }

    /// <summary>The hash of the first argument, to be changed; WRONGTYPE is replied where it is
    /// none.</summary>
    public static bool TryOpen(Execution execution, out HashEditor hash)
    {
        bool isHash = execution.TryFindSlot(1, KeyType.Hash, out ValueSlot slot);
        hash = isHash ? HashStore.Open(execution.Keys, slot) : default;
        return isHash;
    }

    /// <summary>
    /// Removes those of the fields that a command names that are past their deadline, where nothing else
    /// removes them (DEBUG SET-ACTIVE-EXPIRE 0). What was seen of the hash before is no longer valid.
    /// </summary>
    /// <param name="execution">The execution.</param>
    /// <param name="fromIndex">The argument that is the first field.</param>
    /// <param name="toIndex">The argument behind the last.</param>
    /// <param name="step">From field to field.</param>
    public static void RemoveDue(Execution execution, int fromIndex, int toIndex, int step = 1)
    {
        if (execution.Keys.Keyspace.IsActiveExpiryEnabled)
            return;
        bool isFirst = true;
        for (int index = fromIndex; index < toIndex; index += step)
        {
            isFirst &= !HashStore.RemoveIfDue(
                execution.Keys, execution.Key(1), execution.Argument(index), isFirst);
        }
    }

    /// <summary>Replies a name or value as a bulk string.</summary>
    public static void Text(Execution execution, scoped in FieldText text)
    {
        if (text.IsInteger)
            execution.Reply.BulkInteger(text.Integer);
        else
            execution.Reply.Bulk(text.Bytes);
    }

    /// <summary>Replies the value of a field, or null where it is missing.</summary>
    public static void Value(Execution execution, HashView hash, int fieldIndex)
    {
        if (hash.TryGet(execution.Argument(fieldIndex), out FieldText value, execution.HintOf(fieldIndex)))
            Text(execution, in value);
        else
            execution.Reply.Null();
    }

    /// <summary>Declares changes to fields of the first argument's hash, as one event.</summary>
    public static void Changed(Execution execution, KeyEvent keyEvent, long count)
    {
        Debug.Assert(count >= 0, "a negative number of changes");
        if (count == 0)
            return;
        execution.Keys.Changed(execution.Key(1), keyEvent);
        execution.Keys.CountChanges(count - 1);
    }

    /// <summary>Ends the change of the first argument's hash, and declares its removal where no field is
    /// left.</summary>
    public static void Complete(Execution execution, HashEditor hash)
    {
        Debug.Assert(!hash.IsMissing, "no hash was changed");
        if (hash.Complete())
            execution.Keys.MarkChanged(execution.Key(1), KeyEvent.Deleted);
    }
}
