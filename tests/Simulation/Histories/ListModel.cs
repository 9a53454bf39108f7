using System;
using System.Collections.Generic;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>
/// The sequential meaning of the commands of lists. A state is the lengths of all lists, then their elements.
/// A command that waits takes effect in one step: when there is something for it, or (its time has come) when
/// there is nothing.
/// </summary>
public sealed class ListModel : ISequentialModel
{
    /// <inheritdoc/>
    public long[] Initial(int keyCount, int clientCount) => new long[keyCount];

    /// <inheritdoc/>
    public bool TryApply(ref long[] state, int keyCount, Operation operation)
    {
        List<long>[] lists = Decode(state, keyCount);
        List<long> results = [];
        foreach (Call call in operation.Calls)
            Apply(lists, call, results);
        if (operation.IsKnown && !operation.Results.AsSpan().SequenceEqual(results.ToArray()))
            return false;
        state = Encode(lists);
        return true;
    }

    private static void Apply(List<long>[] lists, Call call, List<long> results)
    {
        int key = call.Keys[0];
        List<long> list = lists[key];
        switch (call.Kind)
        {
            case CallKind.PushHead or CallKind.PushTail:
                foreach (long value in call.Values)
                    list.Insert(call.Kind == CallKind.PushHead ? 0 : list.Count, value);
                results.Add(list.Count);
                break;
            case CallKind.PopHead or CallKind.PopTail:
                results.Add(list.Count == 0 ? Operation.Missing : Take(list, call.Kind == CallKind.PopTail));
                break;
            case CallKind.WaitHead or CallKind.WaitTail:
                key = FirstFull(lists, call.Keys);
                if (key >= 0)
                    results.Add(key);
                results.Add(key < 0 ? Operation.Missing : Take(lists[key], call.Kind == CallKind.WaitTail));
                break;
            case CallKind.Move or CallKind.WaitMove:
                results.Add(list.Count == 0 ? Operation.Missing : Take(list, isTail: false));
                if (results[^1] != Operation.Missing)
                    lists[call.Keys[1]].Add(results[^1]);
                break;
            case CallKind.CopyList:
                results.Add(list.Count == 0 ? 0 : 1);
                if (list.Count > 0)
                    lists[call.Keys[1]] = [.. list];
                break;
            case CallKind.RemoveValue:
                results.Add(list.RemoveAll(value => value == call.Values[0]));
                break;
            case CallKind.InsertBefore:
                int place = list.IndexOf(call.Values[0]);
                results.Add(place >= 0 ? list.Count + 1 : list.Count == 0 ? 0 : -1);
                if (place >= 0)
                    list.Insert(place, call.Values[1]);
                break;
            case CallKind.StoreSorted:
                results.Add(list.Count);
                lists[call.Keys[1]] = [.. list];
                lists[call.Keys[1]].Sort();
                break;
            case CallKind.List:
                results.AddRange(list);
                break;
            default:
                throw new InvalidOperationException($"{call.Kind} is no command of lists.");
        }
    }

    private static int FirstFull(List<long>[] lists, int[] keys)
    {
        foreach (int key in keys)
        {
            if (lists[key].Count > 0)
                return key;
        }

        return -1;
    }

    private static long Take(List<long> list, bool isTail)
    {
        int index = isTail ? list.Count - 1 : 0;
        long value = list[index];
        list.RemoveAt(index);
        return value;
    }

    private static List<long>[] Decode(long[] state, int keyCount)
    {
        var lists = new List<long>[keyCount];
        int first = keyCount;
        for (int key = 0; key < keyCount; key++)
        {
            lists[key] = [.. state.AsSpan(first, (int)state[key])];
            first += (int)state[key];
        }

        return lists;
    }

    private static long[] Encode(List<long>[] lists)
    {
        List<long> state = [];
        foreach (List<long> list in lists)
            state.Add(list.Count);
        foreach (List<long> list in lists)
            state.AddRange(list);
        return [.. state];
    }
}
