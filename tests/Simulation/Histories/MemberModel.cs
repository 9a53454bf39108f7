using System;
using System.Numerics;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>
/// The sequential meaning of the commands of sets and sorted sets whose members are small numbers, which are
/// their scores, too. A state is a bit for each member of each key. A command that waits takes effect in one
/// step: when there is something for it, or (its time has come) when there is nothing.
/// </summary>
public sealed class MemberModel : ISequentialModel
{
    /// <summary>Members are below this.</summary>
    public const int MemberEnd = 48;

    /// <inheritdoc/>
    public long[] Initial(int keyCount, int clientCount) => new long[keyCount];

    /// <inheritdoc/>
    public bool TryApply(ref long[] state, int keyCount, Operation operation)
    {
        int position = 0;
        foreach (Call call in operation.Calls)
        {
            if (!TryApply(state, operation, call, ref position))
                return false;
        }

        return !operation.IsKnown || position == operation.Results!.Length;
    }

    private static bool TryApply(long[] sets, Operation operation, Call call, ref int position)
    {
        ref long set = ref sets[call.Keys[0]];
        switch (call.Kind)
        {
            case CallKind.AddMembers:
                long added = BitsOf(call.Values) & ~set;
                set |= added;
                return IsNext(operation, ref position, BitOperations.PopCount((ulong)added));
            case CallKind.RemoveMember or CallKind.MoveMember:
                long moved = BitsOf(call.Values) & set;
                set &= ~moved;
                if (call.Kind == CallKind.MoveMember)
                    sets[call.Keys[1]] |= moved;
                return IsNext(operation, ref position, moved == 0 ? 0 : 1);
            case CallKind.RemoveRange:
                long range = set & RangeOf(call.Values);
                set &= ~range;
                return IsNext(operation, ref position, BitOperations.PopCount((ulong)range));
            case CallKind.StoreUnion:
                set = sets[call.Keys[0]] | sets[call.Keys[1]];
                return IsNext(operation, ref position, BitOperations.PopCount((ulong)set));
            case CallKind.Members:
                return IsNext(operation, ref position, set);
            case CallKind.PopAny:
                return TryPopAny(ref set, operation, ref position);
            default:
                return TryPop(sets, operation, call, ref position);
        }
    }

    // Only the reply shows which member was popped; without it the search is impossible.
    private static bool TryPopAny(ref long set, Operation operation, ref int position)
    {
        if (!operation.IsKnown)
            throw new InvalidOperationException("an unknown random member");
        if (position == operation.Results!.Length)
            return false;
        long member = operation.Results[position++];
        if (member == Operation.Missing)
            return set == 0;
        bool isThere = (set >> (int)member & 1) != 0;
        set &= ~(1L << (int)member);
        return isThere;
    }

    private static bool TryPop(long[] sets, Operation operation, Call call, ref int position)
    {
        bool isWait = call.Kind is CallKind.WaitLowest or CallKind.WaitHighest;
        int index = Array.FindIndex(call.Keys, key => sets[key] != 0);
        if (index < 0)
            return IsNext(operation, ref position, Operation.Missing);
        int key = call.Keys[index];
        bool isLowest = call.Kind is CallKind.PopLowest or CallKind.WaitLowest;
        int member = isLowest
            ? BitOperations.TrailingZeroCount(sets[key])
            : BitOperations.Log2((ulong)sets[key]);
        sets[key] &= ~(1L << member);
        return (!isWait || IsNext(operation, ref position, key))
            && IsNext(operation, ref position, member) && IsNext(operation, ref position, member);
    }

    private static bool IsNext(Operation operation, ref int position, long result) =>
        !operation.IsKnown
        || (position < operation.Results!.Length && operation.Results[position++] == result);

    private static long RangeOf(long[] ends)
    {
        long bits = 0;
        for (long member = ends[0]; member <= ends[1]; member++)
            bits |= 1L << (int)member;
        return bits;
    }

    private static long BitsOf(long[] members)
    {
        long bits = 0;
        foreach (long member in members)
            bits |= 1L << (int)member;
        return bits;
    }
}
