using System.Buffers;
using Cinnabar.Keyspace.Lists;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands that bring an element from one list to another: LMOVE, RPOPLPUSH; and how, for those
/// that wait.</summary>
public static class ListMoveCommands
{
    private const int StackBytes = 256;

    /// <summary>LMOVE source destination LEFT | RIGHT LEFT | RIGHT.</summary>
    public static void LMove(Execution execution)
    {
        if (ListReplies.TryReadEnd(execution, 3, out ListEnd from)
            && ListReplies.TryReadEnd(execution, 4, out ListEnd to))
            Move(execution, from, to);
    }

    /// <summary>RPOPLPUSH source destination.</summary>
    public static void RPopLPush(Execution execution) => Move(execution, ListEnd.Tail, ListEnd.Head);

    /// <summary>
    /// Moves an element from the list of argument 1 to the one of argument 2, replies it and declares it.
    /// </summary>
    /// <param name="execution">Of the command.</param>
    /// <param name="slot">The source's place; a list is there, and one or nothing at the destination.</param>
    /// <param name="from">The end to take from.</param>
    /// <param name="to">The end to add at.</param>
    public static void ReplyMoved(Execution execution, ValueSlot slot, ListEnd from, ListEnd to)
    {
        Debug.Assert(!slot.IsMissing && slot.Type == KeyType.List, "there is nothing to move");
        ListpackValue value = slot.View.List.At(from);
        ListReplies.ReplyElement(execution, in value);
        // The element lies where the lists may move it, so it is copied aside.
        int length = value.Length;
        byte[]? rented = length > StackBytes ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> copy = rented ?? stackalloc byte[StackBytes];
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        value.AsText(scratch).CopyTo(copy);
        copy = copy[..length];
        Key source = execution.Key(1);
        Key target = execution.Key(2);
        if (source.Span.SequenceEqual(target.Span))
        {
            var list = new ListEditor(execution.Keys, source, slot);
            list.Pop(from);
            list.Push(to, copy);
            execution.Keys.Changed(in target, ListPushCommands.EventOf(to));
            execution.Keys.MarkChanged(in source, ListPopCommands.EventOf(from));
        }
        else
        {
            var list = new ListEditor(execution.Keys, target, execution.Keys.FindSlot(in target));
            list.Push(to, copy);
            execution.Keys.Changed(in target, ListPushCommands.EventOf(to));
            // A key that was added may have moved the source's place.
            RemoveSource(execution, in source, from);
        }

        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
    }

    private static void Move(Execution execution, ListEnd from, ListEnd to)
    {
        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (slot.IsMissing)
            execution.Reply.Null();
        else if (execution.TryFindSlot(2, KeyType.List, out _))
            ReplyMoved(execution, slot, from, to);
    }

    private static void RemoveSource(Execution execution, in Key source, ListEnd from)
    {
        var list = new ListEditor(execution.Keys, source, execution.Keys.FindSlot(in source));
        list.Pop(from);
        bool isGone = list.Complete();
        execution.Keys.MarkChanged(in source, ListPopCommands.EventOf(from));
        if (isGone)
            execution.Keys.MarkChanged(in source, KeyEvent.Deleted);
    }
}
