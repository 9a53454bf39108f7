using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Commands on members of a set by name: SADD, SCARD, SISMEMBER, SMISMEMBER, SMOVE, SREM.</summary>
public static class MemberCommands
{
    /// <summary>SADD key member [member ...].</summary>
    public static void SAdd(Execution execution)
    {
        const int first = 2;
        if (!execution.TryFindSlot(1, KeyType.Set, out ValueSlot slot))
            return;
        Key key = execution.Key(1);
        int count = execution.ArgumentCount - first;
        SetEditor set = slot.IsMissing
            ? execution.Sets.Create(in key, execution.Argument(first), count)
            : execution.Sets.Edit(slot);
        Debug.Assert(count > 0, "a set has a member");
        set.Reserve(count);
        int added = 0;
        int ahead = first;
        for (int index = first; index < execution.ArgumentCount; index++)
        {
            if (index == ahead)
                ahead = execution.LoadAhead(index);
            added += set.Add(execution.Argument(index), execution.HintOf(index)) ? 1 : 0;
        }

        if (added > 0)
        {
            execution.Keys.Changed(in key, KeyEvent.SAdd);
            execution.Keys.CountChanges(added - 1);
        }

        execution.Reply.Integer(added);
    }

    /// <summary>SREM key member [member ...].</summary>
    public static void SRem(Execution execution)
    {
        if (!execution.TryFindSlot(1, KeyType.Set, out ValueSlot slot))
            return;
        int removed = 0;
        if (!slot.IsMissing)
        {
            SetEditor set = execution.Sets.Edit(slot);
            int ahead = 2;
            // A set that got empty has no more to lose, and its key goes below.
            for (int index = 2; index < execution.ArgumentCount && set.View.Count > 0; index++)
            {
                if (index == ahead)
                    ahead = execution.LoadAhead(index);
                removed += set.Remove(execution.Argument(index), execution.HintOf(index)) ? 1 : 0;
            }
        }

        if (removed > 0)
        {
            Key key = execution.Key(1);
            execution.Keys.Changed(in key, KeyEvent.SRem);
            execution.Keys.CountChanges(removed - 1);
            RemoveIfEmpty(execution, slot, in key);
        }

        execution.Reply.Integer(removed);
    }

    /// <summary>SCARD key.</summary>
    public static void SCard(Execution execution)
    {
        if (execution.TryFind(1, KeyType.Set, out EntryView entry))
            execution.Reply.Integer(execution.Sets.View(entry).Count);
    }

    /// <summary>SISMEMBER key member.</summary>
    public static void SIsMember(Execution execution)
    {
        if (execution.TryFind(1, KeyType.Set, out EntryView entry))
        {
            SetView set = execution.Sets.View(entry);
            execution.Reply.Integer(set.Contains(execution.Argument(2), execution.HintOf(2)) ? 1 : 0);
        }
    }

    /// <summary>SMISMEMBER key member [member ...].</summary>
    public static void SMIsMember(Execution execution)
    {
        const int first = 2;
        if (!execution.TryFind(1, KeyType.Set, out EntryView entry))
            return;
        SetView set = execution.Sets.View(entry);
        execution.Reply.ArrayHeader(execution.ArgumentCount - first);
        int ahead = first;
        for (int index = first; index < execution.ArgumentCount; index++)
        {
            if (index == ahead)
                ahead = execution.LoadAhead(index);
            bool isThere = set.Contains(execution.Argument(index), execution.HintOf(index));
            execution.Reply.Integer(isThere ? 1 : 0);
        }

    }

    /// <summary>SMOVE source destination member.</summary>
    public static void SMove(Execution execution)
    {
        const int member = 3;
        ValueSlot source = execution.Keys.FindSlot(execution.Key(1));
        EntryView target = execution.Keys.FindForWrite(execution.Key(2));
        if (source.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        if (source.Type != KeyType.Set || (!target.IsMissing && target.Type != KeyType.Set))
        {
            execution.Reply.Error(Errors.WrongType);
            return;
        }

        SetView set = execution.Sets.View(source.View);
        if (!set.Contains(execution.Argument(member)))
        {
            execution.Reply.Integer(0);
            return;
        }

        if (!System.MemoryExtensions.SequenceEqual(execution.Argument(1), execution.Argument(2)))
            Move(execution, source, execution.Argument(member));
        execution.Reply.Integer(1);
    }

    /// <summary>Removes a key whose set has got empty.</summary>
    internal static void RemoveIfEmpty(Execution execution, ValueSlot slot, in Key key)
    {
        if (execution.Sets.View(slot.View).Count > 0)
            return;
        slot.Remove();
        execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    private static void Move(Execution execution, ValueSlot source, System.ReadOnlySpan<byte> member)
    {
        Key from = execution.Key(1);
        Key to = execution.Key(2);
        bool isRemoved = execution.Sets.Edit(source).Remove(member);
        Debug.Assert(isRemoved, "the member was there");
        execution.Keys.Changed(in from, KeyEvent.SRem);
        RemoveIfEmpty(execution, source, in from);
        // Only now: the source's slot is not valid any more once another key came or went.
        ValueSlot slot = execution.Keys.FindSlot(in to);
        SetEditor target = slot.IsMissing
            ? execution.Sets.Create(in to, member, 1)
            : execution.Sets.Edit(slot);
        if (target.Add(member))
            execution.Keys.Changed(in to, KeyEvent.SAdd);
    }
}
