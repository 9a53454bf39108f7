using System.Buffers;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>HRANDFIELD.</summary>
public static class RandomFieldCommands
{
    private const int CountIndex = 2;
    private const int OptionIndex = 3;
    private const long PickNs = 200;

    // Where more than one field in so many is picked, a walk over all of them is cheaper than a search for
    // each.
    private const long WalkShare = 8;

    /// <summary>HRANDFIELD key [count [WITHVALUES]].</summary>
    public static Outcome HRandField(Execution execution)
    {
        if (!execution.Keys.Keyspace.IsActiveExpiryEnabled && !execution.IsWithoutKeys)
            HashStore.RemoveAllDue(execution.Keys, execution.Key(1));
        if (execution.ArgumentCount > CountIndex)
        {
            return PickSome(execution);
        }

        if (!HashReplies.TryView(execution, out HashView hash))
            return Outcome.Done;
        if (hash.Count == 0)
            execution.Reply.Null();
        else
            HashReplies.Text(execution, hash.Pick(ref execution.Random).Name);
        return Outcome.Done;
    }

    // A negative count asks for as many fields, and allows the same one more than once.
    private static Outcome PickSome(Execution execution)
    {
        if (!TryReadOptions(execution, out long count, out bool hasValues)
            || !HashReplies.TryViewKept(execution, out HashView hash))
            return Outcome.Done;
        long total = hash.Count;
        if (total == 0 || count == 0)
        {
            execution.Reply.ArrayHeader(0);
            return Outcome.Done;
        }

        bool isDistinct = count > 0;
        count = isDistinct ? Math.Min(count, total) : -count;
        if (execution.MustLeaveKeys(Execution.EstimateNs(count, PickNs)))
            return Outcome.OffLoopWithoutKeys;
        bool isFlat = hasValues && execution.Reply.Protocol < 3;
        execution.Reply.ArrayHeader(isFlat ? count * 2 : count);
        var reply = new PickReply(execution, hasValues);
        if (!isDistinct)
            PickIndependent(hash, count, in reply);
        else if (hash.IsPacked || hash.HasDue || count > total / WalkShare)
            PickByWalk(hash, count, total, in reply);
        else
            PickByRank(hash, (int)count, total, in reply);
        return Outcome.Done;
    }

    private static bool TryReadOptions(Execution execution, out long count, out bool hasValues)
    {
        hasValues = execution.ArgumentCount > OptionIndex;
        if (!execution.TryInteger(CountIndex, out count))
            return false;
        if (count == long.MinValue)
        {
            execution.Reply.Error("ERR value is out of range, value must between "u8
                + "-9223372036854775807 and 9223372036854775807"u8);
            return false;
        }

        if (hasValues
            && (execution.ArgumentCount > OptionIndex + 1 || !execution.Is(OptionIndex, "withvalues"u8)))
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        bool isTooMany = count < -Execution.ReplyCountMax || (hasValues && count > long.MaxValue / 2);
        if (isTooMany)
            execution.Reply.Error(Errors.CountOutOfRange);
        return !isTooMany;
    }

    private static void PickIndependent(HashView hash, long count, in PickReply reply)
    {
        for (; count > 0 && !reply.Execution.Reply.Sink.IsOverLimit; count--)
            reply.Add(hash.Pick(ref reply.Execution.Random));
    }

    // Selection sampling (Knuth, 3.4.2, algorithm S): every set of fields is equally likely.
    private static void PickByWalk(HashView hash, long count, long total, in PickReply reply)
    {
        Debug.Assert(count > 0 && count <= total, "more fields than there are");
        foreach (FieldView field in hash)
        {
            if (reply.Execution.Random.NextBelow((ulong)total--) >= (ulong)count)
                continue;
            reply.Add(in field);
            if (--count == 0)
                return;
        }
    }

    // Ranks are drawn and sorted, those that came twice drawn anew.
    private static void PickByRank(HashView hash, int count, long total, in PickReply reply)
    {
        Debug.Assert(count > 0 && count <= total && !hash.HasDue, "it would draw for ever");
        long[] rented = ArrayPool<long>.Shared.Rent(count);
        Span<long> ranks = rented.AsSpan(0, count);
        for (int known = 0; known < count;)
        {
            for (int index = known; index < count; index++)
                ranks[index] = (long)reply.Execution.Random.NextBelow((ulong)total);
            ranks.Sort();
            known = DropDuplicates(ranks);
        }

        foreach (long rank in ranks)
            reply.Add(hash.At(rank));
        ArrayPool<long>.Shared.Return(rented);
    }

    // Moves the numbers that differ to the front of a sorted span.
    private static int DropDuplicates(Span<long> sorted)
    {
        int count = 1;
        for (int index = 1; index < sorted.Length; index++)
        {
            if (sorted[index] != sorted[count - 1])
                sorted[count++] = sorted[index];
        }

        return count;
    }

    private readonly struct PickReply(Execution execution, bool hasValues)
    {
        public Execution Execution { get; } = execution;

        public void Add(scoped in FieldView field)
        {
            if (hasValues && Execution.Reply.Protocol >= 3)
                Execution.Reply.ArrayHeader(2);
            HashReplies.Text(Execution, field.Name);
            if (hasValues)
                HashReplies.Text(Execution, field.Value);
        }
    }
}
